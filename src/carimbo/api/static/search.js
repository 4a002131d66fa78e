// The search of the pages, without the page: entries of the index, and those that match a query.
"use strict";

const SHORTEST_STEM = 3;

function plain(text) {
  return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
}

// Operations, events and errors first, then every field: a text to look in and what to show of it.
function entriesOf(index, pages) {
  const operations = index.operations.map((operation) => ({
    text: plain(`${operation.id} ${operation.method} ${operation.path} ${operation.summary}`),
    title: operation.summary,
    note: `${operation.method} ${operation.path}`,
    address: `${pages}${operation.page}#${operation.id}`,
  }));
  const events = index.events.map((event) => ({
    text: plain(`${event.id} ${event.name} ${event.description}`),
    title: event.name,
    note: event.description,
    address: `${pages}eventos#${event.id}`,
  }));
  const errors = index.errors.map((error) => ({
    text: plain(`${error.code} ${error.message}`),
    title: error.code,
    note: error.message,
    address: `${pages}erros#erro-${error.code}`,
  }));
  const fields = index.operations.flatMap((operation) => fieldEntriesOf(operation, pages));
  return [...operations, ...events, ...errors, ...fields];
}

function fieldEntriesOf(operation, pages) {
  return Object.entries(operation.fields).flatMap(([parent, fields]) => {
    const group = parent.replaceAll("[]", "");
    const isFolded = operation.folds.some((fold) => group === fold || group.startsWith(`${fold}.`));
    const anchor = isFolded ? `${operation.id}.${group}` : operation.id;
    return Object.entries(fields).map(([name, description]) => {
      const path = parent ? `${parent}.${name}` : name;
      return {
        text: plain(`${path} ${path.replaceAll("[]", "")} ${description}`),
        title: path,
        note: operation.summary,
        address: `${pages}${operation.page}#${anchor}`,
        isField: true,
      };
    });
  });
}

// Summaries say "Emite" and "Cancela" where a reader looks for "emitir" and "cancelar".
function stem(word) {
  const shorter = word.replace(/[aei]r$/, "");
  return shorter.length < SHORTEST_STEM ? word : shorter;
}

// Fields must have the whole word: their names are English; error details number the items of a list.
function matchesOf(query, entries) {
  const words = plain(query).replace(/\[\d+\]/g, "[]").split(/\s+/).filter(Boolean);
  return entries.filter((entry) =>
    words.every((word) => entry.text.includes(entry.isField ? word : stem(word))),
  );
}
