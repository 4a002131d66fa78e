// Passkeys: asks the browser for one, puts the answer into the form, and sends the form as any other.
"use strict";

const SUPPORTED = typeof PublicKeyCredential?.parseCreationOptionsFromJSON === "function";

async function answer(form) {
  const token = new URLSearchParams({ form_token: form.elements.form_token.value });
  const response = await fetch(form.dataset.options, { method: "POST", body: token });
  // The sign-in is not fresh any more, and the page of confirmation comes first.
  if (response.redirected) return location.assign(response.url);
  if (!response.ok) throw new Error("Não foi possível começar: abra a página de novo.");
  const { challenge, options } = await response.json();
  const publicKey = form.dataset.passkey === "create"
    ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
    : PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = form.dataset.passkey === "create"
    ? await navigator.credentials.create({ publicKey })
    : await navigator.credentials.get({ publicKey });
  form.elements.challenge.value = challenge;
  form.elements.credential.value = JSON.stringify(credential.toJSON());
  form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.hidden = !SUPPORTED;
  form.addEventListener("submit", async (event) => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    const note = form.querySelector("[role=alert]");
    try {
      await answer(form);
    } catch (error) {
      note.textContent = error.name === "NotAllowedError" ? "A chave de acesso não foi usada: tente de novo, ou entre com a senha." : error.message;
      note.hidden = false;
    }
  });
}
