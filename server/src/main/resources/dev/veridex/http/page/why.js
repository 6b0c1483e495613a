// Says in words what a trace of the access check says in records.

import {element} from './dom.js';

const READ = 'R';

const reason = (trace) => trace.reasons.find((each) => each.right === READ);

const individuals = (trace, places) =>
  places.flatMap((place) =>
    trace.records[place].individuals.map((each) => ({
      id: each.id,
      subject: trace.records[place].subject,
      object: trace.records[place].object,
    })));

// The statements that let somebody read.
export function granting(traces) {
  return traces.flatMap((trace) => individuals(trace, reason(trace).granting));
}

// How one thing passes as another, from the first to the last.
function way(reached, id) {
  const steps = [id];
  for (let at = reached.find((each) => each.id === id);
    at && at.ways.length > 0 && !steps.includes(at.ways[0].from);
    at = reached.find((each) => each.id === steps[0])) {
    steps.unshift(at.ways[0].from);
  }
  return steps;
}

// Who gave something, and until when, as `by ada until 14:03:11, 4 minutes left`.
function given(grant) {
  if (!grant.expiresAt) {
    return `by ${grant.grantedBy}, without an end`;
  }
  const end = new Date(grant.expiresAt);
  const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
  const [count, unit] = seconds < 120 ? [seconds, 'seconds']
    : seconds < 7200 ? [Math.floor(seconds / 60), 'minutes']
      : seconds < 172800 ? [Math.floor(seconds / 3600), 'hours']
        : [Math.floor(seconds / 86400), 'days'];
  return `by ${grant.grantedBy} until ${end.toLocaleString()}, ${count} ${unit} left`;
}

function path(trace, reached, id) {
  const steps = way(reached, id);
  return steps.flatMap((step, i) => {
    const related = trace.relationships.find(
      (each) => each.member === steps[i - 1] && each.group === step);
    return [
      i === 0 ? '' : ' → ', element('code', {}, step),
      related ? ` (${related.relation}, ${given(related)})` : '',
    ];
  });
}

function approvals(trace, places) {
  if (places.length === 0) {
    return [];
  }
  return [
    element('p', {}, 'Approved'),
    element('ul', {}, ...places.map((place) => {
      const approval = trace.approvals[place];
      return element('li', {}, element('strong', {}, approval.action), ' ', given(approval));
    })),
  ];
}

function records(title, trace, places) {
  if (places.length === 0) {
    return [];
  }
  return [
    element('p', {}, title),
    element('ul', {}, ...places.map((place) => {
      const record = trace.records[place];
      return element('li', {},
        ...record.individuals.flatMap((each) => [element('strong', {}, each.id), ' ']),
        element('br'), 'who: ', ...path(trace, trace.subjects, record.subject),
        element('br'), 'what: ', ...path(trace, trace.resources, record.object));
    })),
  ];
}

const OUTCOMES = {
  granted: 'may read this.',
  missing: 'may not read this: nothing grants it to them or to a group they are in.',
  denied: 'may not read this: it is denied, and a denial wins.',
  capped: 'may not read this: a filter does not leave the right.',
  closed: 'may not read this: it is reserved to others by an exclusive statement.',
  excluded: 'may not read this: they are in a group exclusively, and this is not in it.',
};

// What decides about one resource.
function one(trace) {
  const why = reason(trace);
  return [
    element('p', {}, element('code', {}, trace.subject), ' ',
      OUTCOMES[why.outcome] ?? `may not read this: ${why.outcome}.`),
    ...records('Granted by', trace, why.granting),
    ...approvals(trace, why.approvals),
    ...records('Denied by', trace, why.denying),
    ...records('Reserved by', trace, why.closing),
    ...records('Capped by', trace, why.capping),
    ...records('Kept out by', trace, why.excluding),
    ...records('Struck', trace, why.struck),
  ];
}

const BECAUSE = {
  'visible': 'Searches show it.',
  'not-there': 'There is no such document.',
  'not-yet-indexed': 'It was accepted and is not in the search index yet.',
  'no-resource': 'It names no resource on which anybody could have rights.',
  'no-right': 'Searches do not show it.',
};

// The whole explanation.
export function explanation(traces, because) {
  return [
    ...(because ? [element('p', {}, element('strong', {}, BECAUSE[because] ?? because))] : []),
    ...traces.flatMap(one),
  ];
}
