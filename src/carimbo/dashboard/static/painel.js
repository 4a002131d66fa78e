// Small helps that no page needs: everything works without this file.
"use strict";

// A link that signs in shows a form with one button; this presses it.
for (const form of document.querySelectorAll("form[data-submit]")) {
  form.requestSubmit();
}

// On a narrow screen the menu begins closed.
if (matchMedia("(max-width: 55rem)").matches) {
  document.querySelector(".menu")?.removeAttribute("open");
}

// A press on a key, an id or a command copies it.
function addCopyButton(code) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copiar";
  button.setAttribute("aria-label", `Copiar ${code.dataset.copies ?? code.textContent}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copiado";
  });
  code.after(button);
}

// A part of the page that htmx loads again comes without its buttons; other parts keep theirs.
function addCopyButtons() {
  for (const code of document.querySelectorAll(".copyable")) {
    if (!code.nextElementSibling?.matches(".copy")) {
      addCopyButton(code);
    }
  }
}

// How many characters a long text has, and may have.
function addCounter(area) {
  const output = document.createElement("output");
  output.className = "count";
  const count = () => { output.textContent = `${area.value.length} de ${area.maxLength} caracteres`; };
  area.addEventListener("input", count);
  area.after(output);
  count();
}

function addCounters(part) {
  for (const area of part.querySelectorAll("textarea[data-counter]")) {
    if (!area.nextElementSibling?.matches(".count")) {
      addCounter(area);
    }
  }
}

// The page of an action as a dialog on the page that it belongs to. What goes wrong opens the page itself.
async function openDialog(link) {
  const response = await fetch(link.href);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const action = page.querySelector("#acao");
  if (!response.ok || response.redirected || !action) {
    location.assign(link.href);
    return;
  }
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "acao-titulo");
  dialog.append(action);
  document.body.append(dialog);
  addCounters(dialog);
  dialog.querySelector("[data-close]")?.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-dialog]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  openDialog(link).catch(() => location.assign(link.href));
});

// A second press while the answer is on its way sends nothing; the server would ignore it too.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "true";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

addCounters(document);
document.addEventListener("htmx:after:swap", () => addCounters(document));
addCopyButtons();
document.addEventListener("htmx:after:swap", addCopyButtons);
