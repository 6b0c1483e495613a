// The page: sign in, search as somebody, see why, switch a right off and see it gone.

import {Api} from './api.js';
import {element, find, highlighted} from './dom.js';
import {explanation, granting} from './why.js';

const FACETS = ['kind', 'language', 'folder'];
const PEOPLE = 'people';
const LIMIT = 10;

let api = Api.restore();
let people = new Map();
let facets = new Set();
let filters = {};
let asked = 0;
let last;
const off = new Map();

const number = new Intl.NumberFormat('en');
const milliseconds = (since) => `${Math.round(performance.now() - since)} ms`;

function say(text, bad = false) {
  find('status').textContent = text;
  find('status').classList.toggle('bad', bad);
}

function show() {
  find('sign-in').hidden = api !== null;
  find('search').hidden = api === null;
  find('leave').hidden = api === null;
  find('where').textContent = api ? api.account : '';
  (api ? find('query') : find('sign-in').elements.token).focus();
}

async function enter() {
  const {items} = await api.buckets();
  const names = items.filter((each) => each.type.startsWith('documents')).map((each) => each.name);
  const main = names.filter((name) => name !== PEOPLE);
  find('bucket').replaceChildren(...main.map((name) => element('option', {value: name}, name)));
  if (main.includes('documents')) {
    find('bucket').value = 'documents';
  }
  if (names.includes(PEOPLE)) {
    const {hits} = await api.search(PEOPLE, {limit: 1000, sort: ['name']});
    people = new Map(hits.map((hit) => [hit.pk, hit.fields]));
    find('people').replaceChildren(...hits.map((hit) =>
      element('option', {value: hit.pk}, `${hit.fields.name}, ${hit.fields.title}, ${hit.fields.team}`)));
  }
  show();
  await search();
}

const person = () => find('person').value.trim();

function question() {
  return {
    query: find('query').value,
    operator: 'and',
    ...(person() ? {as: person()} : {}),
    explain: true,
    ...(Object.keys(filters).length ? {filter: filters} : {}),
    facets: Object.fromEntries([...facets].map((name) => [name, {size: 8}])),
    highlight: [...last.texts],
    limit: LIMIT,
  };
}

// Which fields there are to count and to show is told by a document.
async function learn(bucket) {
  if (last?.bucket === bucket) {
    return;
  }
  const {hits} = await api.search(bucket, {limit: 20});
  const names = new Set(hits.flatMap((hit) => Object.keys(hit.fields)));
  facets = new Set(FACETS.filter((name) => names.has(name)));
  const texts = [...names].filter((name) => name === 'title' || name.startsWith('text'));
  last = {bucket, texts: new Set(texts)};
  filters = {};
}

async function search({atLeast} = {}) {
  const mine = ++asked;
  const begin = performance.now();
  try {
    const bucket = find('bucket').value;
    await learn(bucket);
    const whole = {...question(), ...(atLeast ? {atLeast} : {})};
    const answer = await api.search(bucket, whole);
    if (mine !== asked) {
      return;
    }
    last = {...last, whole, answer, hits: answer.hits};
    render(milliseconds(begin));
  } catch (problem) {
    say(problem.message, true);
  }
}

function render(took) {
  const {answer} = last;
  const who = people.get(person());
  find('who').textContent =
    who ? `${who.name}, ${who.title}, ${who.team}`
      : person() ? ''
        : last.hits.some((each) => each.why) ? 'What you may read yourself.'
          : 'Without a person, an administrator sees everything.';
  say(`${number.format(answer.total)} ${answer.total === 1 ? 'document' : 'documents'}`
    + `${person() ? ` that ${who?.name ?? person()} may read` : ''}, in ${took}`);
  find('hits').replaceChildren(...last.hits.map(hit));
  find('more').hidden = !answer.cursor;
  find('facets').replaceChildren(...[...facets].map(facet));
  rights();
}

function hit(found) {
  const {title, author, kind, folder, written} = found.fields;
  const text = Object.keys(found.highlight ?? {}).find((name) => name !== 'title');
  const shown = found.highlight?.title
    ? highlighted(found.highlight.title[0]) : [String(title ?? found.pk)];
  const body = text
    ? highlighted(found.highlight[text].join(' … '))
    : [String(found.fields[[...last.texts].find((name) => name !== 'title' && found.fields[name])] ?? '')];
  return element('li', {}, element('article', {'data-pk': found.pk},
    element('h3', {}, ...shown),
    element('p', {}, ...body),
    element('footer', {},
      element('code', {}, found.pk),
      ...[kind, folder, author, written?.slice(0, 10)].filter(Boolean)
        .map((each) => element('span', {}, each)),
      ...(found.why ? [element('button', {
        type: 'button',
        onclick: () => tell(`Why ${person() || 'you'} see${person() ? 's' : ''} ${found.pk}`, found.why, 'visible'),
      }, 'Why?')] : []))));
}

function facet(name) {
  const {buckets} = last.answer.facets[name] ?? {buckets: []};
  return element('div', {}, element('h3', {}, name), ...buckets.map(({value, count}) =>
    element('button', {
      'type': 'button',
      'aria-pressed': String(filters[name] === value),
      'onclick': () => {
        if (filters[name] === value) {
          delete filters[name];
        } else {
          filters[name] = value;
        }
        search();
      },
    }, element('span', {}, String(value)), element('span', {}, number.format(count)))));
}

// The statements behind these hits, and those that were switched off.
function rights() {
  const all = new Map(off);
  for (const found of last.hits) {
    for (const each of granting(found.why ?? [])) {
      all.set(each.id, each);
    }
  }
  const key = (id) => `switch ${id}`;
  find('rights').replaceChildren(...[...all.values()].map((each) => element('li', {},
    element('label', {},
      element('input', {
        'type': 'checkbox', 'role': 'switch', 'id': key(each.id), 'checked': !off.has(each.id),
        'onchange': (event) => turn(each, event.target),
      }),
      element('span', {}, each.id, element('small', {}, `${each.subject} on ${each.object}`))))));
  if (all.size === 0) {
    find('rights').append(element('li', {class: 'hint'},
      person() ? 'No hit, no right.' : 'Choose a person to search as.'));
  }
}

async function turn(right, box) {
  const before = last.answer.total;
  const begin = performance.now();
  try {
    const {state} = await api.individual(right.id);
    const {revision} = await api.state({...state, 'v-s:deleted': !box.checked});
    const changed = milliseconds(begin);
    if (box.checked) {
      off.delete(right.id);
    } else {
      off.set(right.id, right);
    }
    const again = performance.now();
    await search({atLeast: revision});
    const difference = last.answer.total - before;
    find('switched').textContent = `${box.checked ? 'Given back' : 'Revoked'} in ${changed}; `
      + `${number.format(Math.abs(difference))} hits ${difference < 0 ? 'gone' : 'more'} in the next search, ${milliseconds(again)}.`;
    find(`switch ${right.id}`)?.focus();
  } catch (problem) {
    box.checked = !box.checked;
    find('switched').textContent = problem.message;
  }
}

function tell(title, traces, because) {
  find('why-title').textContent = title;
  find('why-text').replaceChildren(...explanation(traces, because));
  find('why').showModal();
}

async function askWhy() {
  const who = find('why-person').value.trim();
  const key = find('why-key').value.trim();
  try {
    const {why, because} = await api.why(find('bucket').value, key, who);
    tell(`Why ${who} ${because === 'visible' ? 'sees' : 'does not see'} ${key}`, why, because);
  } catch (problem) {
    say(problem.message, true);
  }
}

async function more() {
  const {cursor} = last.answer;
  try {
    const answer = await api.search(find('bucket').value, {...last.whole, cursor});
    last = {...last, answer, hits: [...last.hits, ...answer.hits]};
    find('hits').append(...answer.hits.map(hit));
    find('more').hidden = !answer.cursor;
    rights();
  } catch (problem) {
    say(problem.message, true);
  }
}

let typing;
function typed() {
  clearTimeout(typing);
  typing = setTimeout(async () => {
    await search();
    const word = find('query').value.split(/\s+/).pop();
    const before = find('query').value.slice(0, find('query').value.length - word.length);
    if (word.length > 1 && api) {
      const {suggestions} = await api.suggest(find('bucket').value,
        {prefix: word, fields: [...last.texts], limit: 6, ...(person() ? {as: person()} : {})})
        .catch(() => ({suggestions: []}));
      find('words').replaceChildren(...suggestions.map((each) =>
        element('option', {value: before + each.text})));
    }
  }, 120);
}

find('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target.elements;
  api = new Api(form.account.value.trim(), form.token.value.trim());
  try {
    await api.buckets();
    api.keep();
    form.token.value = '';
    await enter();
  } catch (problem) {
    api = null;
    show();
    find('sign-in').querySelector('.hint').textContent = problem.message;
  }
});
find('leave').addEventListener('click', () => {
  Api.forget();
  location.reload();
});
find('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
find('query').addEventListener('input', typed);
find('person').addEventListener('change', () => search());
find('bucket').addEventListener('change', () => search());
find('more').addEventListener('click', more);
find('ask-why').addEventListener('submit', (event) => {
  event.preventDefault();
  askWhy();
});
document.addEventListener('keydown', (event) => {
  const writing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '');
  if (event.key === '/' && !writing && !find('why').open) {
    event.preventDefault();
    find('query').focus();
  }
});

if (api) {
  enter().catch((problem) => {
    Api.forget();
    api = null;
    show();
    find('sign-in').querySelector('.hint').textContent = problem.message;
  });
} else {
  api = null;
  show();
}
