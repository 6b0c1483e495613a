// Makes elements. Whatever others have written goes in as text, never as HTML.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) {
      made.addEventListener(key.slice(2), value);
    } else if (value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? '' : value);
    }
  }
  made.append(...children);
  return made;
}

export const find = (id) => document.getElementById(id);

// A highlight is HTML with nothing in it but <em>: it is read as such, and only its texts are used.
export function highlighted(html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html').body;
  return [...parsed.childNodes].map((node) =>
    node.nodeName === 'EM' ? element('mark', {}, node.textContent) : node.textContent);
}
