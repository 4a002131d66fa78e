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
  button.setAttribute("aria-label", `Copiar ${code.textContent}`);
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

addCopyButtons();
document.addEventListener("htmx:after:swap", addCopyButtons);
