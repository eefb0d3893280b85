// A link holds the fields of one tab behind its #, which no browser sends anywhere: JSON, deflated, in base64url.
window.segscores = {
  // For each tab the names of its fields, in the order of the inputs; the page fills them in.
  names: {},
  longest: 60000,
  async pass(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  },
  async link(tab, values) {
    const fields = Object.fromEntries(this.names[tab].map((name, index) => [name, values[index]]));
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
      return state && Object.hasOwn(this.names, state.tab) && state.fields ? state : null;
    } catch (error) { return null; }
  },
  async restore(values) {
    const state = await this.read();
    if (!state) return values;
    let index = 0;
    for (const [tab, names] of Object.entries(this.names))
      for (const name of names) {
        const given = tab === state.tab ? state.fields[name] : undefined;
        const known = values[index];
        if (given !== undefined && typeof given === typeof known && Array.isArray(given) === Array.isArray(known))
          values[index] = given;
        index += 1;
      }
    const open = () => [...document.querySelectorAll('button[role=tab]')].find((tab) => tab.textContent.trim() === state.tab);
    setTimeout(() => open()?.click(), 100);
    return values;
  },
};
