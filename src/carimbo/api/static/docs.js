// Search, and what only the browser knows. The pages can be read without any of it.
"use strict";

const pages = document.body.dataset.pages;
const isOverview = pages !== "";
const form = document.getElementById("busca");
const input = document.getElementById("termo");
const results = document.getElementById("resultados");
const MOST_RESULTS = 40;
let index = null;

async function load() {
  if (index === null) {
    index = fetch(`${pages}indice.json`)
      .then((answer) => answer.json())
      .then((contents) => entriesOf(contents, pages));
  }
  return index;
}

function line(entry) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const title = document.createElement(entry.isField ? "code" : "span");
  const note = document.createElement("span");
  link.href = entry.address;
  title.textContent = entry.title;
  note.textContent = entry.note;
  note.className = "note";
  link.append(title, note);
  item.append(link);
  return item;
}

async function search() {
  if (input.value.trim() === "") {
    results.replaceChildren();
    return;
  }
  const matching = matchesOf(input.value, await load());
  const shown = matching.slice(0, MOST_RESULTS).map(line);
  if (matching.length !== shown.length || matching.length === 0) {
    const more = document.createElement("li");
    more.className = "note";
    more.textContent = matching.length ? `e mais ${matching.length - shown.length}` : "Nada encontrado.";
    shown.push(more);
  }
  results.replaceChildren(...shown);
}

// A link leads into a folded table too.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let place = target; place; place = place.parentElement) {
    if (place.tagName === "DETAILS") place.open = true;
  }
  if (target && target.tagName === "DETAILS") target.scrollIntoView();
}

// Addresses of the time when everything was one page: `docs#createNfe`, `docs#erro-NOT_FOUND`.
function followOldAddress() {
  const name = decodeURIComponent(location.hash.slice(1));
  const link = document.getElementById(name)?.querySelector("a");
  if (name.startsWith("erro-")) location.replace(`${pages}erros#${name}`);
  else if (link && link.hash === `#${name}`) location.replace(link.href);
}

form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
input.addEventListener("focus", load, { once: true });
input.addEventListener("input", search);
results.addEventListener("click", () => results.replaceChildren());
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    input.focus();
  }
});
window.addEventListener("hashchange", unfold);
unfold();

// On a phone the open menu would push the text below several screens.
if (matchMedia("(max-width: 59.99rem)").matches) document.getElementById("menu").open = false;
if (isOverview) {
  followOldAddress();
  const address = document.getElementById("endereco");
  if (address) address.textContent = location.href.replace(/\/docs\b.*$/, "");
}
