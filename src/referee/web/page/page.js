"use strict";
// The page of `referee serve`. Whatever comes from files is put into the page as text, never as markup.

const $ = (id) => document.getElementById(id);
const KINDS = [
  ["for labels", ["labels", "multiclass"]],
  ["for one positive label", ["binary"]],
  ["for scores that rank it first", ["ranking"]],
  ["for scores alone", ["scores"]],
  ["for predicted numbers", ["numbers"]],
  ["for probabilities", ["probabilities"]],
  ["for texts and sets of labels", ["sums"]],
];
const VERBS = { compare: ["Compare", "Comparing"], rank: ["Rank", "Ranking"], audit: ["Measure", "Measuring"] };
// What the options of metrics are called, and what can be chosen of them.
const NAMES = {
  average: "Average over classes", labels: "Classes to average over", beta: "Beta", cost_fn: "Cost of a miss", cost_fp: "Cost of a false alarm",
  p_target: "Share of positives (p_target)", low: "Lowest possible score", high: "Highest possible score", step: "Step between scores",
};
const WAYS = {
  average: { binary: "no: only the positive label", macro: "macro: each class counts the same", micro: "micro: each example counts the same", weighted: "weighted by class size" },
  labels: { truth: "those of the right answers", all: "all that anyone gave" },
};
const PAUSE = 700;
const LETTERS = "ABCDEFGH";
const state = { files: [], layout: null, metrics: [], limit: Infinity, most: 2, running: null, busy: false };

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is referee serve still running?");
  }
  let content;
  try {
    content = await response.json();
  } catch {
    throw new Error(response.status === 404 ? "The server was restarted; use the address it printed." : "The server's answer could not be read.");
  }
  if (content.wrong !== undefined) throw new Error(sentence(content.wrong));
  if (content.fault !== undefined) throw new Error(sentence(content.fault));
  return content;
}

const send = (path, content, options = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content), ...options });

// Messages of referee begin small; a name that begins small stays as it is.
function sentence(text) {
  const first = text.split(/\s/, 1)[0];
  const names = [...state.files, ...state.metrics].map((one) => one.name);
  const own = names.some((name) => text.startsWith(`${name} `)) || /[._:]/.test(first);
  return (own ? text : text.charAt(0).toUpperCase() + text.slice(1)) + (/[.?!)]$/.test(text) ? "" : ".");
}

// Of two files both may be wrong, so messages come one below the other; "" is a new beginning.
function tell(message) {
  if (message) $("message").append(make("p", { className: "message", textContent: message }));
  else $("message").replaceChildren();
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

// Files

async function add(list) {
  if (state.busy || state.running) return;
  tell("");
  const room = state.most - state.files.length;
  if (list.length > room) {
    tell(state.files.length ? `This page takes ${state.most} files at most; remove some first.` : `This page takes ${state.most} files at most; you added ${list.length}.`);
    return;
  }
  for (const file of list) {
    if (file.size > state.limit) {
      tell(`${file.name} is larger than ${Math.round(state.limit / 1048576)} MB, the limit of this page; “referee serve --limit MB” sets another.`);
      continue;
    }
    await take(`Reading ${file.name}`, () => ask(`files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }));
  }
  await refresh();
}

async function take(status, asked) {
  busy(status);
  try {
    state.files.push(await asked());
  } catch (error) {
    tell(error.message);
  } finally {
    busy("");
  }
}

function busy(status) {
  $("drop").setAttribute("aria-busy", status ? "true" : "false");
  state.busy = Boolean(status);
  const label = $("drop").querySelector("label");
  label.classList.toggle("working", Boolean(status));
  const file = state.files.length ? invitation() : [make("strong", { textContent: "Drop one or more files here" }), ", or ", "choose them"];
  if (status) label.textContent = `${status} …`;
  else label.replaceChildren(...file.slice(0, -1), make("span", { className: "as-link", textContent: file.at(-1) }));
}

function invitation() {
  if (state.files[0].kind === "counts") return ["More counts of the same systems? Drop them here, or ", "choose them"];
  if (state.files.length === 1) return ["Is the other system in a file of its own? Drop it here, or ", "choose it"];
  return ["More systems, to rank them all? Drop their files here, or ", "choose them"];
}

async function remove(file) {
  state.files = state.files.filter((one) => one !== file);
  await ask(`files/${file.id}`, { method: "DELETE" }).catch(() => {});
}

async function clear() {
  for (const file of [...state.files]) await remove(file);
}

async function refresh() {
  busy("");
  $("files").classList.toggle("small", state.files.length > 0);
  $("drop").hidden = state.files.length >= state.most;
  for (const id of ["about", "try", "private", "thumbnail"]) $(id).hidden = state.files.length > 0;
  $("exchange-line").hidden = state.files.length !== 2 || added();
  $("list").replaceChildren(...state.files.map(card));
  $("fields").hidden = true;
  $("result").hidden = true;
  if (!state.files.length) return;
  try {
    state.layout = await send("fields", { files: state.files.map((file) => file.id) });
  } catch (error) {
    tell(error.message);
    return;
  }
  fill();
}

// The counts of several files are added up: none is A or B, for each has both.
const added = () => state.files.length > 1 && state.files.every((file) => file.kind === "counts");

function card(file, place) {
  const head = make("div", { className: "card-head" });
  if (state.files.length > 1 && !added()) head.append(make("span", { className: state.files.length === 2 ? `side ${"ab"[place]}` : "side", textContent: LETTERS[place] }));
  const some = file.header && file.header.length < file.columns.length ? `, of which the first ${file.header.length} are shown` : "";
  const what = file.columns ? `${file.what}, ${file.columns.length} ${file.columns.length === 1 ? "column" : "columns"}${some}` : file.what;
  head.append(make("h2", { className: "name", textContent: file.name }), make("span", { className: "hint", textContent: `${what}, ${size(file.size)}` }));
  const button = make("button", { type: "button", className: "as-link", textContent: "Remove" });
  button.setAttribute("aria-label", `Remove ${state.files.length > 1 ? `${LETTERS[place]}: ` : ""}${file.name}`);
  button.addEventListener("click", async () => {
    tell("");
    await remove(file);
    await refresh();
    $("file").focus();
  });
  head.append(button);
  const whole = make("div", { className: "card" }, head);
  if (file.rows) whole.append(preview(file, state.files.length > 1 ? `${LETTERS[place]}: ` : ""));
  return whole;
}

function preview(file, side) {
  const cell = (value) => (value === null ? make("td", { className: "none", textContent: "missing" }) : make("td", { textContent: value, title: value.length > 30 ? value : "" }));
  const head = make("tr", {}, ...file.header.map((name) => { const th = make("th", { textContent: name }); th.scope = "col"; return th; }));
  const rows = file.rows.slice(0, state.files.length > 1 ? 3 : 5).map((row) => make("tr", {}, ...row.map(cell)));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  const box = make("div", { className: "rows", tabIndex: 0 }, table);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `The first rows of ${side}${file.name}`);
  return box;
}

// Fields

function fill() {
  const { layout, columns, fields, names, verbs, systems } = state.layout;
  for (const select of document.querySelectorAll("select[data-columns]")) {
    const before = select.value;
    const choices = layout === "runs" ? systems : columns;
    const asks = select.name === "truth" && state.layout.doubts.truth !== undefined;
    const none = make("option", { value: "", textContent: select.dataset.none });
    // Where it is not clear, none is an answer too, but has to be given.
    const unsaid = asks ? [make("option", { value: "", textContent: "choose" })] : [];
    select.replaceChildren(...unsaid, none, ...choices.map((name) => make("option", { value: name, textContent: name })));
    select.value = fields[select.name] ?? "";
    if (select.selectedIndex < 0 || (!asks && fields[select.name] === undefined)) select.value = choices.includes(before) && !Object.values(fields).includes(before) ? before : "";
    select.toggleAttribute("data-asks", asks);
  }
  doubts();
  $("names").replaceChildren(...names.slice(2).map((_, place) => nameField(LETTERS[place + 2])));
  document.querySelectorAll("[data-name]").forEach((input, place) => { input.value = names[place] ?? ""; });
  for (const input of $("verbs").querySelectorAll("input")) {
    input.disabled = !verbs.includes(input.value);
    input.checked = input.value === state.layout.verb;
    input.parentElement.hidden = input.disabled;
  }
  $("choices").replaceChildren(...systems.map(choice));
  $("baseline").replaceChildren(make("option", { value: "", textContent: "none: compare all" }), ...baselines().map((name) => make("option", { value: name, textContent: name })));
  $("metrics").replaceChildren();
  $("positive").value = "";
  $("fields").hidden = false;
  arrange();
}

const verb = () => $("verbs").querySelector("input:checked").value;
const baselines = () => (state.layout.systems.length ? state.layout.systems : state.layout.names);

// What is shown depends on the files and on what is to be done with them.
function arrange() {
  const { layout, fields, systems, chooses = [] } = state.layout;
  const alone = state.files.length === 1;
  const shownIn = (element) => {
    const { layouts, verbs } = element.dataset;
    if (verbs !== undefined && !verbs.split(" ").includes(verb())) return false;
    if (element.dataset.chooses) return layout === "runs" && chooses.includes(element.dataset.chooses);
    if (element.querySelector("[data-name]")) return !alone && ["pair", "runs"].includes(layout);
    if (layouts === undefined) return true;
    return layouts.split(" ").includes(layout) || (layouts.split(" ").includes("systems") && layout === "runs" && alone);
  };
  for (const element of document.querySelectorAll("[data-layouts], [data-chooses], [data-verbs]")) element.hidden = !shownIn(element);
  if (!systems.length || !(alone || layout === "counts")) $("systems").hidden = true;
  $("verbs").hidden = state.layout.verbs.length < 2;
  const found = Object.keys(fields).length;
  $("guessed").textContent = layout === "counts" ? (added() ? "The counts of all files are added: more examples, answered by the same systems." : "") : layout === "runs" ? "The score is read from the logs; “More” has the other choices." : found ? "Filled in from the column names and their contents; correct what is wrong." : "";
  $("fields-title").textContent = layout === "counts" ? "Choose the question" : "Match the columns";
  $("compare").textContent = VERBS[verb()][0];
  metricChanged();
}

function doubts() {
  for (const one of document.querySelectorAll(".doubt")) one.remove();
  for (const [name, text] of Object.entries(state.layout.doubts)) {
    const select = $(name);
    const id = `doubt-${name}`;
    select.closest(".field").append(make("p", { id, className: "hint doubt", textContent: sentence(text) }));
    select.setAttribute("aria-describedby", id);
  }
}

function nameField(letter) {
  const id = `name_${letter.toLowerCase()}`;
  const input = make("input", { id, name: id, autocomplete: "off" });
  input.dataset.name = "";
  const field = make("div", { className: "field" }, make("label", { htmlFor: id, textContent: `Name of ${letter}` }), input);
  field.dataset.layouts = "pair runs";
  return field;
}

function choice(name, place) {
  const id = `system-${place}`;
  const box = make("input", { type: "checkbox", id, name: "systems", value: name, checked: state.layout.likely.includes(name) });
  return make("div", { className: "choice" }, box, make("label", { htmlFor: id, textContent: name }));
}

function labels() {
  const counted = state.files[0]?.labels;
  if (counted) return counted;
  const column = state.files[0]?.columns?.find((one) => one.name === $("truth").value);
  return column?.labels ?? [];
}

const averages = (way) => way !== undefined && way !== "binary";
const metricOf = (select) => state.metrics.find((one) => one.name === select.value);

function metricChanged() {
  const selects = [...document.querySelectorAll("[data-metric]")].filter((one) => !one.closest("[hidden]:not(form)"));
  const metric = metricOf($("metric"));
  const several = selects.length > 1 ? " Several are adjusted for multiple comparisons." : "";
  $("metric-hint").textContent = (metric ? metric.summary : "Accuracy for labels, the mean for scores.") + several;
  let asks = false;
  for (const select of selects) {
    const options = optionsOf(select);
    const own = metricOf(select);
    const average = options.dataset.of === select.value ? options.querySelector("[data-option=average]")?.value : own?.options.average;
    const entries = own ? Object.entries(own.options) : [];
    const same = options.dataset.of === select.value; // another metric's options of the same names are others
    options.dataset.of = select.value;
    const kept = new Map([...(same ? options.querySelectorAll("[data-option]") : [])].map((one) => [one.dataset.option, one.value]));
    options.replaceChildren(...entries.filter(([name]) => name !== "labels" || own.task !== "binary" || averages(average)).map(([name, value]) => optionField(select, name, value, kept.get(name) ?? value)));
    const averaged = entries.some(([name]) => name === "average") && averages(average);
    asks ||= Boolean(own) && (["binary", "ranking", "probabilities"].includes(own.task) || $("threshold").value !== "") && !averaged;
  }
  $("positive-field").hidden = !asks;
  const known = labels();
  $("labels").replaceChildren(...known.map((label) => make("option", { value: label })));
  if (asks && !$("positive").value && state.layout?.positive?.[$("truth").value]) $("positive").value = state.layout.positive[$("truth").value];
}

const optionsOf = (select) => (select.id === "metric" ? $("options") : select.closest(".metric").querySelector(".options"));

function another() {
  const place = Math.max(...[...document.querySelectorAll("[data-metric]")].map((one) => Number(one.dataset.metric))) + 1;
  const id = `metric-${place}`;
  const select = make("select", { id, name: "metric" }, ...[...$("metric").children].map((one) => one.cloneNode(true)));
  select.options[0].textContent = "choose";
  select.dataset.metric = place;
  select.addEventListener("change", metricChanged);
  const button = make("button", { type: "button", className: "as-link", textContent: "Remove" });
  button.setAttribute("aria-label", `Remove metric ${place}`);
  const field = make("div", { className: "field" }, make("div", { className: "with-button" }, make("label", { htmlFor: id, textContent: `Metric ${place}` }), button), select);
  const row = make("div", { className: "metric grid wide" }, field, make("div", { className: "options" }));
  button.addEventListener("click", () => {
    row.remove();
    old(!$("result").hidden);
    metricChanged();
    $("another").focus();
  });
  $("metrics").append(row);
  metricChanged();
  select.focus();
}

// Only metrics of one positive label need no average.
const waysOf = (name, metric) => Object.fromEntries(Object.entries(WAYS[name]).filter(([way]) => way !== "binary" || metric.task === "binary"));

function optionField(select, name, usual, value) {
  const id = select.id === "metric" ? `option-${name}` : `option-${select.dataset.metric}-${name}`;
  const label = make("label", { htmlFor: id, textContent: NAMES[name] ?? name });
  const ways = WAYS[name]?.[usual] === undefined ? null : waysOf(name, metricOf(select));
  const input = ways ? make("select", { id }, ...Object.entries(ways).map(([key, text]) => make("option", { value: key, textContent: text }))) : make("input", { id, inputMode: "decimal", autocomplete: "off" });
  if (name === "average") input.addEventListener("change", metricChanged);
  input.value = value;
  input.dataset.option = name;
  return make("div", { className: "field" }, label, input);
}

function asked() {
  const given = { verb: verb(), metrics: [], systems: [], names: [] };
  for (const element of $("fields").elements) {
    if (!element.name || element.type === "radio" || element.closest("[hidden]:not(form)")) continue;
    if (element.dataset.metric) given.metrics.push({ name: element.value, options: optionsFilled(element) });
    else if (element.name === "systems") given.systems.push(...(element.checked ? [element.value] : []));
    else if (element.dataset.name !== undefined) given.names.push(element.value.trim());
    else given[element.name] = element.type === "checkbox" ? element.checked : element.value;
  }
  if (state.layout.layout === "pair" && !given.id) given.by_line = true;
  return given;
}

function optionsFilled(select) {
  return Object.fromEntries([...optionsOf(select).querySelectorAll("[data-option]")].map((one) => [one.dataset.option, one.value.trim()]));
}

function lacking() {
  for (const element of document.querySelectorAll(".field.wanted")) element.classList.remove("wanted");
  const seen = (element) => !element.closest("[hidden]:not(form)");
  const wanted = [...document.querySelectorAll("#truth, #a, #b, #prediction")].filter((one) => seen(one) && (one.id === "truth" ? one.hasAttribute("data-asks") && one.selectedIndex === 0 : !one.value));
  for (const one of wanted) one.closest(".field").classList.add("wanted");
  const words = wanted.map((one) => `“${one.closest(".field").querySelector("label").textContent}”`);
  if (seen($("systems")) && $("choices").querySelectorAll("input:checked").length < 2) {
    words.push("two or more “Systems”");
    wanted.push($("choices").querySelector("input"));
  }
  return { wanted, words };
}

// The work

async function compare(event) {
  event.preventDefault();
  tell("");
  const { wanted, words } = lacking();
  if (wanted.length) {
    $("status").textContent = `Choose ${words.join(" and ")} first.`;
    wanted[0].focus();
    return;
  }
  state.running = new AbortController();
  $("compare").disabled = true;
  $("stop").hidden = false;
  $("status").classList.add("working");
  $("status").textContent = `${VERBS[verb()][1]} …`;
  $("result").hidden = true;
  old(false);
  const watch = [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
  const watching = setInterval(() => step(watch), PAUSE);
  try {
    const content = { files: state.files.map((file) => file.id), watch, fields: asked() };
    const { id, remarks } = await send("reports", content, { signal: state.running.signal });
    show(id, remarks);
    $("status").textContent = "Done; the report is below.";
  } catch (error) {
    $("status").textContent = error.name === "AbortError" ? "Stopped." : "";
    if (error.name !== "AbortError") complain(error.message);
  } finally {
    clearInterval(watching);
    $("progress").hidden = true;
    state.running = null;
    $("compare").disabled = false;
    $("stop").hidden = true;
    $("status").classList.remove("working");
  }
}

// How far the work is, after a moment: what is done at once needs no bar.
async function step(watch) {
  const { what, done, total, waiting } = await ask(`progress/${watch}`).catch(() => ({}));
  if (!state.running) return;
  $("progress").hidden = !(what || waiting);
  if (what) Object.assign($("bar"), { max: total, value: done });
  else $("bar").removeAttribute("value");
  $("step").textContent = waiting ? "Waiting for other work to end" : what ? `${sentence(what).slice(0, -1)}: ${done} of ${total}` : "";
}

function complain(message) {
  $("status").replaceChildren(make("span", { className: "message", role: "alert", textContent: message }));
  // A field that is named and lies behind "More" would be looked for in vain.
  const named = [...$("fields").querySelectorAll("details .field")].find((one) => !one.hidden && message.includes(`“${one.querySelector("label").textContent}”`));
  if (!named) return;
  $("fields").querySelector("details").open = true;
  named.querySelector("select, input").focus();
}

// A report that was made with other choices than those above it is said to be one.
function old(is) {
  $("result").classList.toggle("old", is);
  $("old-note").hidden = !is;
  if (is) $("status").textContent = "";
}

function show(id, remarks) {
  const base = `reports/${id}/`;
  $("keep-report").href = `${base}report.html?keep`;
  $("keep-numbers").href = `${base}report.json?keep`;
  $("remarks").replaceChildren(...remarks.map((remark) => make("li", { textContent: sentence(remark) })));
  const frame = $("report");
  frame.onload = () => fit(frame);
  frame.src = `${base}report.html`;
  $("result").hidden = false;
  $("result-title").focus({ preventScroll: true });
  $("result").scrollIntoView({ block: "start" });
}

// The report is as high as it is: no second scroll bar.
function fit(frame) {
  const root = frame.contentDocument?.documentElement;
  if (!root || !frame.contentDocument.body?.childElementCount) return;
  const measure = () => { frame.style.height = `${root.getBoundingClientRect().height + 2}px`; };
  measure();
  new ResizeObserver(measure).observe(root);
}

async function anew() {
  $("report").removeAttribute("src");
  tell("");
  await clear();
  $("fields").reset();
  $("status").textContent = "";
  await refresh();
  $("file").focus();
  window.scrollTo(0, 0);
}

// Start

function listen() {
  const drop = $("drop");
  $("file").addEventListener("change", async (event) => {
    const list = [...event.target.files];
    event.target.value = "";
    await add(list);
  });
  for (const name of ["dragenter", "dragover"]) document.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const folder = [...(event.dataTransfer.items ?? [])].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
    if (folder) tell("A folder cannot be read here; drop the files in it, or name it on the command line: referee compare FOLDER FOLDER.");
    else if (event.dataTransfer.files.length) await add([...event.dataTransfer.files]);
  });
  $("demonstration").addEventListener("click", async () => {
    if (state.busy || state.files.length) return;
    tell("");
    await take("Making up data", () => ask("demonstration", { method: "POST" }));
    await refresh();
  });
  $("exchange").addEventListener("click", async () => {
    state.files.reverse();
    await refresh();
    $("exchange").focus();
  });
  $("fields").addEventListener("submit", compare);
  for (const name of ["input", "change"]) $("fields").addEventListener(name, () => old(!$("result").hidden));
  $("stop").addEventListener("click", () => state.running?.abort());
  $("anew").addEventListener("click", anew);
  for (const id of ["metric", "threshold"]) $(id).addEventListener("change", metricChanged);
  $("verbs").addEventListener("change", arrange);
  $("another").addEventListener("click", another);
  for (const [id, checked] of [["all", true], ["none", false]]) $(id).addEventListener("click", () => {
    for (const box of $("choices").querySelectorAll("input")) box.checked = checked;
    old(!$("result").hidden);
  });
  $("truth").addEventListener("change", () => { $("positive").value = ""; metricChanged(); });
}

async function start() {
  listen();
  try {
    const choices = await ask("choices");
    state.metrics = choices.metrics;
    state.limit = choices.limit;
    state.most = choices.most;
    $("version").textContent = choices.version;
    $("limit").textContent = `At most ${Math.round(choices.limit / 1048576)} MB each.`;
    const named = KINDS.flatMap(([, tasks]) => tasks);
    const others = state.metrics.map((metric) => metric.task).filter((task) => !named.includes(task));
    for (const [label, tasks] of [...KINDS, ["others", others]]) {
      const own = choices.metrics.filter((metric) => tasks.includes(metric.task));
      const group = make("optgroup", { label }, ...own.map((metric) => make("option", { value: metric.name, textContent: metric.name })));
      if (own.length) $("metric").append(group);
    }
  } catch (error) {
    tell(error.message);
  }
}

start();
