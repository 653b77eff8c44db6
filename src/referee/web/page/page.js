"use strict";
// The page of `referee serve`. Whatever comes from files is put into the page as text, never as markup.

const $ = (id) => document.getElementById(id);
const KINDS = [
  ["for labels", ["labels", "multiclass"]],
  ["for one positive label", ["binary"]],
  ["for scores that rank it first", ["ranking"]],
  ["for scores alone", ["scores"]],
  ["for predicted numbers", ["numbers"]],
];
const state = { files: [], layout: null, metrics: [], limit: Infinity, running: null, busy: false };

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
  const room = state.files.length === 2 ? 2 : 2 - state.files.length;
  if (list.length > room) {
    tell(list.length > 2 ? `Add one file or two; you added ${list.length}.` : "Two files are compared at most; remove one first.");
    return;
  }
  if (state.files.length === 2) await clear();
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
  if (status) label.textContent = `${status} …`;
  else if (state.files.length) label.replaceChildren(state.files[0].kind === "counts" ? "More counts of the same systems? Drop them here, or " : "Is the other system in a file of its own? Drop it here, or ", make("span", { className: "as-link", textContent: "choose it" }));
  else label.replaceChildren(make("strong", { textContent: "Drop one or two files here" }), ", or ", make("span", { className: "as-link", textContent: "choose them" }));
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
  $("drop").hidden = state.files.length === 2;
  $("try").hidden = state.files.length > 0;
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

// The counts of two files are added up: neither is A or B, for each has both.
const added = () => state.files.length === 2 && state.files.every((file) => file.kind === "counts");

function card(file, place) {
  const head = make("div", { className: "card-head" });
  if (state.files.length === 2 && !added()) head.append(make("span", { className: `side ${"ab"[place]}`, textContent: "AB"[place] }));
  const some = file.header && file.header.length < file.columns.length ? `, of which the first ${file.header.length} are shown` : "";
  const what = file.columns ? `${file.what}, ${file.columns.length} ${file.columns.length === 1 ? "column" : "columns"}${some}` : file.what;
  head.append(make("h3", { textContent: file.name }), make("span", { className: "hint", textContent: `${what}, ${size(file.size)}` }));
  const button = make("button", { type: "button", className: "as-link", textContent: "Remove" });
  button.setAttribute("aria-label", `Remove ${file.name}`);
  button.addEventListener("click", async () => {
    tell("");
    await remove(file);
    await refresh();
    $("file").focus();
  });
  head.append(button);
  const whole = make("div", { className: "card" }, head);
  if (file.rows) whole.append(preview(file));
  return whole;
}

function preview(file) {
  const cell = (value) => (value === null ? make("td", { className: "none", textContent: "missing" }) : make("td", { textContent: value, title: value.length > 30 ? value : "" }));
  const head = make("tr", {}, ...file.header.map((name) => { const th = make("th", { textContent: name }); th.scope = "col"; return th; }));
  const rows = file.rows.slice(0, state.files.length === 2 ? 3 : 5).map((row) => make("tr", {}, ...row.map(cell)));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  const box = make("div", { className: "rows", tabIndex: 0 }, table);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `The first rows of ${file.name}`);
  return box;
}

// Fields

function fill() {
  const { layout, columns, fields, names, systems = [], chooses = [] } = state.layout;
  const shownIn = (element) => {
    const layouts = (element.dataset.layouts || "").split(" ");
    if (element.dataset.chooses) return layout === "runs" && chooses.includes(element.dataset.chooses);
    return layouts.includes(layout) || (layouts.includes("systems") && layout === "runs" && state.files.length === 1);
  };
  for (const element of document.querySelectorAll("[data-layouts], [data-chooses]")) {
    element.hidden = !shownIn(element) || (layout === "runs" && state.files.length === 1 && element.querySelector("#name_a, #name_b") !== null);
  }
  for (const select of document.querySelectorAll("select[data-columns]")) {
    const before = select.value;
    const choices = layout === "runs" ? systems : columns;
    select.replaceChildren(make("option", { value: "", textContent: select.dataset.none }), ...choices.map((name) => make("option", { value: name, textContent: name })));
    select.value = fields[select.name] ?? "";
    if (select.selectedIndex < 0) select.value = choices.includes(before) ? before : "";
  }
  ["name_a", "name_b"].forEach((id, place) => { $(id).value = names[place] ?? ""; });
  const found = Object.keys(fields).length;
  $("guessed").textContent = layout === "counts" ? (added() ? "The counts of both files are added: two sets of examples, answered by the same two systems." : "") : layout === "runs" ? "The score is read from the logs; “More” has the other choices." : found ? "Filled in from the column names and their contents; correct what is wrong." : "";
  $("positive").value = "";
  $("fields").hidden = false;
  $("fields-title").textContent = layout === "counts" ? "Choose the question" : "Match the columns";
  metricChanged();
}

function labels() {
  const counted = state.files[0]?.labels;
  if (counted) return counted;
  const column = state.files[0]?.columns?.find((one) => one.name === $("truth").value);
  return column?.labels ?? [];
}

function metricChanged() {
  const metric = state.metrics.find((one) => one.name === $("metric").value);
  $("metric-hint").textContent = metric ? metric.summary : "Accuracy for labels, the mean for scores.";
  const average = $("options").querySelector("[data-option=average]")?.value;
  const options = metric ? Object.entries(metric.options) : [];
  const kept = new Map([...$("options").querySelectorAll("[data-option]")].map((one) => [one.dataset.option, one.value]));
  $("options").replaceChildren(...options.map(([name, value]) => optionField(name, kept.get(name) ?? value)));
  const averaged = options.some(([name]) => name === "average") && average !== undefined && average !== "binary";
  const asks = Boolean(metric) && (["binary", "ranking"].includes(metric.task) || $("threshold").value !== "") && !averaged;
  $("positive-field").hidden = !asks;
  const known = labels();
  $("labels").replaceChildren(...known.map((label) => make("option", { value: label })));
  if (asks && !$("positive").value && state.layout?.positive?.[$("truth").value]) $("positive").value = state.layout.positive[$("truth").value];
}

function optionField(name, value) {
  const id = `option-${name}`;
  const label = make("label", { htmlFor: id, textContent: { average: "Average over classes", beta: "Beta", cost_fn: "Cost of a miss", cost_fp: "Cost of a false alarm", p_target: "Share of positives (p_target)" }[name] ?? name });
  let input;
  if (name === "average") {
    const ways = { binary: "no: only the positive label", macro: "macro: each class counts the same", micro: "micro: each example counts the same", weighted: "weighted by class size" };
    input = make("select", { id }, ...Object.entries(ways).map(([key, text]) => make("option", { value: key, textContent: text })));
    input.addEventListener("change", metricChanged);
  } else {
    input = make("input", { id, inputMode: "decimal", autocomplete: "off" });
  }
  input.value = value;
  input.dataset.option = name;
  return make("div", { className: "field" }, label, input);
}

function asked() {
  const given = { options: {} };
  for (const element of $("fields").elements) {
    const hidden = element.closest("[hidden]:not(form)") !== null;
    if (element.dataset.option) given.options[element.dataset.option] = element.value.trim();
    else if (element.name && !hidden) given[element.name] = element.type === "checkbox" ? element.checked : element.value;
  }
  if (state.layout.layout === "pair" && !given.id) given.by_line = true;
  return given;
}

function lacking() {
  for (const element of document.querySelectorAll(".field.wanted")) element.classList.remove("wanted");
  const wanted = [...document.querySelectorAll("#a, #b, #prediction")].filter((one) => !one.closest("[hidden]:not(form)") && !one.value);
  for (const one of wanted) one.closest(".field").classList.add("wanted");
  return wanted;
}

// The comparison

async function compare(event) {
  event.preventDefault();
  tell("");
  const wanted = lacking();
  if (wanted.length) {
    $("status").textContent = `Choose ${wanted.map((one) => `“${one.closest(".field").querySelector("label").textContent}”`).join(" and ")} first.`;
    wanted[0].focus();
    return;
  }
  state.running = new AbortController();
  $("compare").disabled = true;
  $("stop").hidden = false;
  $("status").classList.add("working");
  $("status").textContent = "Comparing …";
  $("result").hidden = true;
  old(false);
  try {
    const content = { files: state.files.map((file) => file.id), fields: asked() };
    const { id, remarks } = await send("comparisons", content, { signal: state.running.signal });
    show(id, remarks);
    $("status").textContent = "Done; the report is below.";
  } catch (error) {
    $("status").textContent = error.name === "AbortError" ? "Stopped." : "";
    if (error.name !== "AbortError") complain(error.message);
  } finally {
    state.running = null;
    $("compare").disabled = false;
    $("stop").hidden = true;
    $("status").classList.remove("working");
  }
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
  const base = `comparisons/${id}/`;
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
  $("truth").addEventListener("change", () => { $("positive").value = ""; metricChanged(); });
}

async function start() {
  listen();
  try {
    const choices = await ask("choices");
    state.metrics = choices.metrics;
    state.limit = choices.limit;
    $("version").textContent = choices.version;
    $("limit").textContent = `At most ${Math.round(choices.limit / 1048576)} MB each.`;
    for (const [label, tasks] of KINDS) {
      const own = choices.metrics.filter((metric) => tasks.includes(metric.task));
      const group = make("optgroup", { label }, ...own.map((metric) => make("option", { value: metric.name, textContent: metric.name })));
      if (own.length) $("metric").append(group);
    }
  } catch (error) {
    tell(error.message);
  }
}

start();
