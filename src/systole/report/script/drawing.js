"use strict";
// Elements, numbers and geometry that all pictures share.

const SVG_SPACE = document.getElementById("patterns").namespaceURI;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// An element of HTML; children are elements or text.
function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// An element of SVG.
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

function reveal(id) {
  byId(id).hidden = false;
}

// `(0, 1)`; the one PE of an array of rank 0 has no coordinates.
function point(coordinates) {
  return coordinates.length === 0 ? "(the only one)" : `(${coordinates.join(", ")})`;
}

function count(number) {
  return number.toLocaleString("en-US");
}

// Three digits that matter, as short as they can be written.
function short(value) {
  if (typeof value !== "number") return value;
  if (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)) return value.toExponential(1).replace("-", "−");
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

// A sentence from a message: words in backquotes are code, the first letter is a capital.
function prose(tag, attributes, text) {
  const parts = text.replace(/\s+/g, " ").trim().split("`");
  const first = parts[0].charAt(0).toUpperCase() + parts[0].slice(1);
  return html(tag, attributes, first, ...parts.slice(1).map((part, index) => (index % 2 === 0 ? html("code", {}, part) : part)));
}

// 1, 2 or 5 times a power of ten, at least `wanted`.
function niceStep(wanted) {
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= wanted) ?? power * 10;
}

// The marks of channels: each has a shape beside its colour.
function glyph(channel, size) {
  const shapes = [
    () => svg("circle", { r: size }),
    () => svg("rect", { x: -size * 0.9, y: -size * 0.9, width: size * 1.8, height: size * 1.8 }),
    () => svg("path", { d: `M0 ${-size * 1.25}L${size * 1.25} 0L0 ${size * 1.25}L${-size * 1.25} 0Z` }),
    () => svg("path", { d: `M0 ${-size * 1.2}L${size * 1.15} ${size}L${-size * 1.15} ${size}Z` }),
    () => svg("path", { d: `M0 ${size * 1.2}L${size * 1.15} ${-size}L${-size * 1.15} ${-size}Z` }),
  ];
  const shape = shapes[channel % shapes.length]();
  shape.setAttribute("class", `glyph w${channel % 6}`);
  return shape;
}

// The height that an array takes where its PEs can still be told apart, in pixels.
const HIGHEST = 640;

// How much further apart columns may be than rows.
const WIDER = 1.9;

// Where the PEs of an array of rank 0, 1 or 2 are drawn within a width. Rows grow downwards, columns to the right.
function layOut(array, width, most) {
  const [rows, columns] = array.extents.length === 2 ? array.extents : [1, array.extents[0] ?? 1];
  const axis = { left: array.extents.length === 0 ? 8 : 26, top: array.extents.length === 0 ? 8 : 22 };
  const room = Math.min((width - axis.left - 12) / columns, Math.max(HIGHEST / rows, 26));
  const pitch = clamp(Math.floor(room), 16, most);
  // What width is left is given to the links between columns.
  const across = clamp(Math.floor((width - axis.left - 12) / columns), pitch, WIDER * pitch);
  const at = (coordinates) => {
    const offsets = coordinates.map((entry, index) => entry - array.first[index]);
    const [row, column] = offsets.length === 2 ? offsets : [0, offsets[0] ?? 0];
    return { x: axis.left + (column + 0.5) * across, y: axis.top + (row + 0.5) * pitch };
  };
  const size = { width: axis.left + columns * across + 12, height: axis.top + rows * pitch + 12 };
  return { rows, columns, pitch, across, cell: pitch * 0.56, axis, at, ...size };
}

// The coordinates along the upper and the left edge.
function axes(array, layout) {
  const rank = array.extents.length;
  const group = svg("g", { "aria-hidden": "true" });
  const every = niceStep(22 / layout.pitch);
  const label = (x, y, text, anchor) => group.append(svg("text", { x, y, class: "axis", "text-anchor": anchor }, String(text)));
  for (let column = 0; rank > 0 && column < layout.columns; column += every) {
    label(layout.axis.left + (column + 0.5) * layout.across, 13, array.first[rank - 1] + column, "middle");
  }
  for (let row = 0; rank === 2 && row < layout.rows; row += every) {
    label(layout.axis.left - 8, layout.axis.top + (row + 0.5) * layout.pitch + 4, array.first[0] + row, "end");
  }
  return group;
}

// A way from one cell to another, bent to the left by `bend` of its length and shifted sideways by `shift`.
function way(from, to, reach, bend, shift) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const trim = reach / Math.max(Math.abs(ux), Math.abs(uy), 0.5);
  const [sx, sy] = [-uy * shift, ux * shift];
  const start = { x: from.x + ux * trim + sx, y: from.y + uy * trim + sy };
  const end = { x: to.x - ux * trim + sx, y: to.y - uy * trim + sy };
  const middle = { x: (start.x + end.x) / 2 + uy * bend * length, y: (start.y + end.y) / 2 - ux * bend * length };
  return { start, middle, end };
}

// A loop at a corner of a cell, for what a PE keeps for itself.
function loopAt(centre, reach, number) {
  const [x, y] = [centre.x + reach, centre.y - reach + number * 9];
  return { start: { x, y: y + 8 }, middle: { x: x + reach * 0.9, y }, end: { x: x - 2, y: y - 2 } };
}

function pathOf({ start, middle, end }) {
  return `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
}

// The point at a share of a way.
function along({ start, middle, end }, share) {
  const [a, b, c] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
  return { x: a * start.x + b * middle.x + c * end.x, y: a * start.y + b * middle.y + c * end.y };
}

// The head of an arrow at the end of a way.
function tip({ middle, end }, size, name) {
  const [dx, dy] = [end.x - middle.x, end.y - middle.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [(dx / length) * size, (dy / length) * size];
  const corners = [[end.x, end.y], [end.x - ux - uy * 0.6, end.y - uy + ux * 0.6], [end.x - ux + uy * 0.6, end.y - uy - ux * 0.6]];
  return svg("path", { class: name, d: `M${corners.map((corner) => corner.join(" ")).join("L")}Z` });
}
