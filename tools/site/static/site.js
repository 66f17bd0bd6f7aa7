// Search, forwarding of old addresses, colors, menu and copying of code. Nothing is loaded but the index of the search.
"use strict";
const root = document.documentElement.dataset.root;

// Old addresses

(function forward() {
  const block = document.getElementById("moved");
  const moved = block ? JSON.parse(block.textContent) : {};
  const main = document.querySelector("main.forward");
  const go = (to) => location.replace(/^https:/.test(to) ? to : root + to);
  const follow = () => {
    const anchor = decodeURIComponent(location.hash.slice(1));
    if (Object.hasOwn(moved, anchor) && !document.getElementById(anchor)) go(moved[anchor]);
    else if (main) go(main.dataset.forward);
  };
  follow();
  addEventListener("hashchange", follow);
})();

// Colors

document.getElementById("theme").addEventListener("click", () => {
  const html = document.documentElement;
  const dark = html.dataset.theme ? html.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  html.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", html.dataset.theme); } catch (_) { /* lasts for this page */ }
});

// Menu on narrow screens

const menu = document.getElementById("menu");
function setMenu(open) {
  menu.setAttribute("aria-expanded", open);
  document.body.classList.toggle("menu", open);
}
menu.addEventListener("click", () => setMenu(menu.getAttribute("aria-expanded") !== "true"));
const toc = document.querySelector("details.toc");
if (toc && !matchMedia("(min-width: 75rem)").matches) toc.open = false;
const current = document.querySelector(".pages [aria-current]");
if (current && current.offsetParent) {
  const pages = document.getElementById("pages");
  if (getComputedStyle(pages).overflowY === "auto" && current.offsetTop > pages.clientHeight - 80) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
}

// Copy buttons

if (navigator.clipboard) {
  for (const pre of document.querySelectorAll("article pre, .landing pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const code = pre.querySelector("code");
      await navigator.clipboard.writeText(code && code.classList.contains("language-console") ? commands(code.textContent) : pre.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    pre.parentElement.classList.contains("highlight") ? pre.parentElement.append(button) : pre.before(button);
  }
}

// commands returns the commands of a session, without prompts and output. A line that ends with \ goes on.
function commands(session) {
  const kept = [];
  let goesOn = false;
  for (const line of session.split("\n")) {
    if (line.startsWith("$ ")) kept.push(line.slice(2));
    else if (goesOn) kept.push(line);
    else continue;
    goesOn = line.endsWith("\\");
  }
  return kept.length ? kept.join("\n") + "\n" : session;
}

// Search

const input = document.getElementById("search");
const results = document.getElementById("results");
let index = null; // rows of page, title, anchor, heading, text
let selected = -1;

function loadIndex() {
  if (index || document.getElementById("search-index")) return;
  const script = document.createElement("script");
  script.id = "search-index";
  script.src = root + "search-index.js";
  script.onload = () => {
    index = window.searchIndex.map((row) => ({
      ...row, lowerTitle: row.title.toLowerCase(), lowerHeading: row.heading.toLowerCase(), lowerText: row.text.toLowerCase(),
    }));
    show();
  };
  document.head.append(script);
}

// score is 0 if a word is missing. Titles count most, then headings, then the text; whole words more than parts.
function score(row, words, phrase) {
  let sum = 0;
  for (const word of words) {
    let n = 0;
    if (row.lowerTitle.includes(word)) n += row.anchor ? 4 : 20;
    if (row.lowerHeading.includes(word)) n += 12;
    const at = row.lowerText.indexOf(word);
    if (at >= 0) n += wholeWord(row.lowerText, at, word) ? 3 : 1;
    if (n === 0) return 0;
    sum += n;
  }
  if (row.lowerTitle === phrase && !row.anchor) sum += 40;
  if (row.lowerHeading === phrase) sum += 30;
  if (words.length > 1 && row.lowerText.includes(phrase)) sum += 6;
  return sum;
}

function wholeWord(text, at, word) {
  const letter = /[\p{L}\p{N}]/u;
  return !letter.test(text[at - 1] || " ") && !letter.test(text[at + word.length] || " ");
}

function find(query) {
  const phrase = query.trim().toLowerCase();
  const words = phrase.split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const row of index) {
    const n = score(row, words, phrase);
    if (n) found.push({ row, n, words });
  }
  found.sort((a, b) => b.n - a.n);
  const perPage = {};
  return found.filter(({ row }) => (perPage[row.page] = (perPage[row.page] || 0) + 1) <= 3).slice(0, 12);
}

// marked appends a text to an element, with the words that were found marked.
function marked(element, text, words) {
  const escaped = words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  for (const part of text.split(new RegExp(`(${escaped.join("|")})`, "i"))) {
    if (words.includes(part.toLowerCase())) {
      const mark = document.createElement("mark");
      mark.textContent = part;
      element.append(mark);
    } else if (part) element.append(part);
  }
  return element;
}

function excerpt(row, words) {
  const at = Math.min(...words.map((w) => row.lowerText.indexOf(w)).filter((i) => i >= 0), Infinity);
  const from = at === Infinity || at < 40 ? 0 : row.text.indexOf(" ", at - 40) + 1;
  const long = row.text.length > from + 140;
  const to = long ? row.text.lastIndexOf(" ", from + 140) : row.text.length;
  return (from ? "… " : "") + row.text.slice(from, Math.max(to, from + 60)) + (long ? " …" : "");
}

function show() {
  const query = input.value;
  selected = -1;
  input.removeAttribute("aria-activedescendant");
  if (!index || !query.trim()) return hide();
  const found = find(query);
  results.replaceChildren();
  found.forEach(({ row, words }, i) => {
    const a = document.createElement("a");
    a.id = "result-" + i;
    a.setAttribute("role", "option");
    a.tabIndex = -1;
    a.href = root + row.page + (row.anchor ? "#" + row.anchor : "");
    a.append(marked(document.createElement("strong"), row.heading || row.title, words));
    if (row.heading) a.append(marked(document.createElement("small"), row.title, words));
    a.append(marked(document.createElement("span"), excerpt(row, words), words));
    a.addEventListener("click", hide);
    results.append(a);
  });
  if (!found.length) {
    const none = document.createElement("p");
    none.textContent = "No page has all of these words.";
    results.append(none);
  }
  results.hidden = false;
  input.setAttribute("aria-expanded", "true");
  if (found.length) select(0);
}

function hide() {
  results.hidden = true;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

function follow(address) {
  hide();
  input.blur();
  location.assign(address);
}

function select(i) {
  const options = results.querySelectorAll("a");
  if (!options.length) return;
  selected = (i + options.length) % options.length;
  options.forEach((option, n) => option.setAttribute("aria-selected", n === selected));
  input.setAttribute("aria-activedescendant", "result-" + selected);
  options[selected].scrollIntoView({ block: "nearest" });
}

input.addEventListener("focus", () => { loadIndex(); show(); });
input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") select(selected + 1);
  else if (event.key === "ArrowUp") select(selected - 1);
  else if (event.key === "Enter" && !results.hidden && selected >= 0) follow(results.querySelectorAll("a")[selected].href);
  else if (event.key === "Escape") { input.value = ""; hide(); input.blur(); }
  else return;
  event.preventDefault();
});
document.addEventListener("click", (event) => { if (!event.target.closest(".search")) hide(); });
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey || event.key === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    input.focus();
    input.select();
  }
  if (event.key === "Escape") setMenu(false);
});
