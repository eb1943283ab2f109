// What a value means to people: words for what is won or drawn, a share for the bar, and how it is known.

/** A short text for a value of a player; `digits`: how many behind the point. */
export function short(worth, about, digits = 2) {
  if (!worth) return "no better";
  const { number, kind, text } = worth;
  if (number === null) return text;
  if (kind === "exact" && winLoss(about)) {
    if (number === 1) return "wins";
    if (number === -1) return "loses";
    if (number === 0) return "draws";
  }
  const told = figure(number, digits);
  if (kind === "exact") return /^-?\d+(\/\d+)?$/.test(text) && text.length < 9 ? text : told;
  if (kind === "bounded") {
    const width = (worth.high ?? number) - (worth.low ?? number);
    return width < 1e-4 ? told : `${figure(worth.low, digits)} to ${figure(worth.high, digits)}`;
  }
  return `≈ ${told}`;
}

/** How many digits behind the point tell values of moves apart: two at least, four at most. */
export function digitsFor(numbers) {
  const known = numbers.filter((number) => Number.isFinite(number));
  const spread = Math.max(...known) - Math.min(...known);
  return spread > 1e-9 ? Math.min(6, Math.max(2, Math.ceil(1 - Math.log10(spread)))) : 2;
}

export function figure(number, digits = 2) {
  if (number === null || number === undefined) return "?";
  const size = Math.abs(number);
  if (size >= 1000) return Math.round(number).toLocaleString("en");
  const text = size >= 100 ? number.toFixed(0) : size >= 10 ? number.toFixed(1) : number.toFixed(digits);
  return text.replace(/^-(0\.?0*)$/, "$1").replace(/^-/, "−");
}

/** How it is known, in a word. */
export function known(worth) {
  if (!worth) return "";
  if (worth.kind === "exact") return "proven";
  if (worth.kind === "bounded") return "proven bounds";
  return worth.low === null || worth.low === worth.high ? "estimated" : `estimated, ± ${figure((worth.high - worth.low) / 2)}`;
}

function winLoss(about) {
  return about.zero_sum && about.players.length === 2 && about.bounds[0]?.[0] === -1 && about.bounds[0]?.[1] === 1;
}

/** Between 0 and 1 from the least to the most a player can get; null where nobody knows the ends. */
export function share(number, about, player = 0) {
  const [low, high] = about.bounds[player] || [null, null];
  if (number === null || low === null || high === null || high <= low) return null;
  return Math.min(1, Math.max(0, (number - low) / (high - low)));
}
