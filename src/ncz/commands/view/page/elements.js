// Elements of the page. Names, attributes and values of a dataset become text nodes, never markup.

const byId = (id) => document.getElementById(id);

function make(tag, text = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function say(text, ...buttons) {
  const message = byId("message");
  message.replaceChildren(document.createTextNode(text), ...buttons);
  message.hidden = !text;
}

function fillSelect(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", text, { value })));
  select.value = String(chosen);
}
