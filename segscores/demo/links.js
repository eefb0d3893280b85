// A link holds the fields of one tab behind its #, which no browser sends anywhere: JSON, deflated, in base64url.
window.segscores = {
  // For each tab its fields by name, in the order of the inputs, with the limits of their values; the page fills them in.
  fields: {},
  longest: 60000,
  async pass(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  },
  async link(tab, values) {
    const fields = Object.fromEntries(Object.keys(this.fields[tab]).map((name, index) => [name, values[index]]));
    const json = new TextEncoder().encode(JSON.stringify({tab, fields}));
    const packed = await this.pass(json, new CompressionStream('deflate-raw'));
    let binary = '';
    for (const byte of packed) binary += String.fromCharCode(byte);
    const code = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    if (code.length > this.longest)
      return `This would be a link of ${code.length} characters; ${this.longest} are as many as programs take. Share the files.`;
    history.replaceState(null, '', '#' + code);
    const link = location.href;
    try { await navigator.clipboard.writeText(link); } catch (error) { /* it stands in the box */ }
    return link;
  },
  async read() {
    const code = location.hash.slice(1);
    if (!code || code.length > this.longest) return null;
    try {
      const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
      const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
      // A short link must not unpack to gigabytes.
      const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
      const chunks = [];
      for (let size = 0; ; ) {
        const {done, value} = await reader.read();
        if (done) break;
        size += value.length;
        if (size > 8e6) return null;
        chunks.push(value);
      }
      const state = JSON.parse(await new Blob(chunks).text());
      return state && Object.hasOwn(this.fields, state.tab) && state.fields ? state : null;
    } catch (error) { return null; }
  },
  // Whether a field can have what a link gives for it, in place of what it has.
  fits(given, known, {choices, least, most}) {
    if (typeof given !== typeof known || Array.isArray(given) !== Array.isArray(known)) return false;
    if (choices) return [given].flat().every((value) => choices.includes(value));
    return least === undefined || (given >= least && given <= most);
  },
  // What the link has for inputs of a tab, by the names of their fields; the values where it has none.
  async inputs(tab, names, values) {
    const state = await this.read();
    if (state?.tab !== tab) return values;
    return values.map((known, index) => {
      const given = state.fields[names[index]];
      return given !== undefined && this.fits(given, known, this.fields[tab][names[index]]) ? given : known;
    });
  },
  async restore(values) {
    const state = await this.read();
    if (!state) return values;
    let index = 0;
    for (const [tab, fields] of Object.entries(this.fields))
      for (const [name, limits] of Object.entries(fields)) {
        const given = tab === state.tab ? state.fields[name] : undefined;
        if (given !== undefined && this.fits(given, values[index], limits)) values[index] = given;
        index += 1;
      }
    const open = () => [...document.querySelectorAll('button[role=tab]')].find((tab) => tab.textContent.trim() === state.tab);
    setTimeout(() => open()?.click(), 100);
    return values;
  },
};
