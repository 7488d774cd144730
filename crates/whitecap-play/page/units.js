// Numbers for people.

function withUnit(value, units) {
  const size = Math.abs(value);
  const [least, unit] = units.find(([least]) => size >= least) ?? units[units.length - 1];
  const number = value / least;
  const digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2;
  return `${number.toFixed(digits)} ${unit}`;
}

const VOLUMES = [[1, "m³"], [1e-3, "l"], [1e-6, "ml"], [1e-9, "µl"]];
const LENGTHS = [[1, "m"], [1e-2, "cm"], [1e-3, "mm"]];

export const volume = (value) => withUnit(value, value === 0 ? [[1e-6, "ml"]] : VOLUMES);
export const rate = (value) => `${volume(value)}/s`;
export const distance = (value) => withUnit(value, LENGTHS);
export const angle = (value) => `${value.toFixed(0)}°`;

/** Kinematic viscosity, with a familiar liquid for comparison. */
export function viscosity(value) {
  const known = [[2e-6, "like water"], [1e-5, "like blood"], [3e-4, "like oil"], [2e-2, "like honey"]];
  const like = known.find(([most]) => value < most)?.[1] ?? "hardly flows";
  return `${(value * 1e6).toPrecision(2).replace(/\.?0+e/, "e")} mm²/s, ${like}`;
}
