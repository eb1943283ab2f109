// A play or a game as a link: packed text behind the #, which no server is sent and none keeps.

/** Data as text for a link. */
export async function pack(data) {
  const bytes = new TextEncoder().encode(JSON.stringify(data));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Data from the text of a link; throws where it is none. */
export async function unpack(text) {
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(raw, (char) => char.charCodeAt(0));
  const plain = await through(bytes, new DecompressionStream("deflate-raw"), 2_000_000);
  return JSON.parse(new TextDecoder().decode(plain));
}

async function through(bytes, stream, most = Infinity) {
  const writer = stream.writable.getWriter();
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const parts = [];
  let size = 0;
  for await (const part of stream.readable) {
    size += part.length;
    if (size > most) throw new Error("too large");
    parts.push(part);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}

export function download(name, text, kind) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
