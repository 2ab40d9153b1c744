// What makes the console quick. Every page works without it.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// A button that copies, which needs a script to.
for (const button of all("button.copy")) {
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}

// A long text may come from a file.
for (const area of all("textarea[data-file]")) {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".csv,.txt,text/*";
  input.setAttribute("aria-label", area.dataset.file);
  input.addEventListener("change", async () => { area.value = await input.files[0].text(); });
  area.before(input);
}

// A filter shows what it finds while one types, and keeps the place.
for (const form of all("form[data-filter]")) {
  let wait;
  const show = async () => {
    const values = [...new FormData(form)].filter(([, value]) => value !== "");
    const url = `${location.pathname}?${new URLSearchParams(values).toString().replaceAll("+", "%20")}`;
    const answer = await fetch(url, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return location.assign(url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("form[data-filter]");
    history.replaceState(null, "", url);
    while (form.nextSibling) form.nextSibling.remove();
    while (fresh.nextSibling) form.parentNode.append(fresh.nextSibling);
  };
  form.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(show, 250); });
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(wait); show(); });
}

// Beside a form its picture shows what one writes, and of several languages the one in which one writes.
for (const beside of all(".beside")) {
  const form = beside.querySelector("form");
  if (!form?.querySelector("button[name=again][value=look]")) continue;
  let key, wait, last = 0;
  const choose = () => {
    const phones = all(".phones li", beside);
    const own = phones.find((one) => one.dataset.key === key) ?? phones[0];
    for (const one of phones) one.hidden = one !== own;
  };
  const draw = async () => {
    const turn = ++last;
    const body = new URLSearchParams(new FormData(form));
    body.set("again", "look");
    const answer = await fetch(location.href, { method: "POST", body });
    if (!answer.ok || answer.redirected || turn !== last) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(".beside .aside");
    if (fresh) beside.querySelector(".aside").replaceWith(fresh);
    choose();
  };
  // A new part has its name in a field of its own.
  const look = (event) => {
    const [, group, part] = event.target.name?.match(/^([^.:]+)\.([^.:]+)/) ?? [];
    if (!event.target.closest("fieldset") || !part) return;
    key = form.elements[`${group}.${part}`]?.value ?? part;
    choose();
  };
  form.addEventListener("focusin", look);
  form.addEventListener("input", (event) => { look(event); clearTimeout(wait); wait = setTimeout(draw, 400); });
  choose();
}

// What cannot be undone is asked first.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button?.dataset.question || event.target.elements.confirmed) return;
  event.preventDefault();
  const dialog = document.createElement("dialog");
  const text = document.createElement("p");
  text.textContent = button.dataset.question;
  const ways = document.createElement("p");
  ways.className = "ways";
  const yes = button.cloneNode(true);
  yes.type = "button";
  yes.addEventListener("click", () => {
    const confirmed = document.createElement("input");
    confirmed.type = "hidden";
    confirmed.name = "confirmed";
    confirmed.value = "yes";
    event.target.append(confirmed);
    event.target.requestSubmit(button);
  });
  const no = document.createElement("button");
  no.className = "button";
  no.textContent = document.body.dataset.cancel;
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  ways.append(yes, no);
  dialog.append(text, ways);
  document.body.append(dialog);
  dialog.showModal();
  no.focus();
});

// `/` goes to the search, and ⌘/ or Ctrl-/ shows the page's calls.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/") return;
  if (event.metaKey || event.ctrlKey) {
    const calls = document.getElementById("calls");
    if (calls) { calls.open = true; calls.scrollIntoView(); calls.querySelector("summary").focus(); }
    return event.preventDefault();
  }
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const search = document.querySelector("input[type=search]");
  if (search) { event.preventDefault(); search.focus(); }
});

// A page of what goes on shows it anew, unless somebody writes in it.
const seconds = Number(document.body.dataset.refreshes);
if (seconds) {
  setInterval(async () => {
    if (document.hidden || document.activeElement?.matches("input, textarea, select")) return;
    const answer = await fetch(location.href);
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = all("details[open]").map((one) => one.id);
    document.querySelector("main").replaceWith(page.querySelector("main"));
    for (const id of open) if (id) document.getElementById(id).open = true;
  }, seconds * 1000);
}
