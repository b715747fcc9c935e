// What the official TypeScript SDK makes of a brain: `FOLDER ERA http URL KEY`, or `FOLDER ERA stdio COMMAND...`.
// FOLDER is where the SDK is installed, ERA is `1` or `2`. Prints one JSON object.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder, era, kind, ...rest] = process.argv.slice(2);
const from = (path) => import(pathToFileURL(`${folder}/node_modules/@modelcontextprotocol/${path}`));
const [{ Client }, http, stdio] =
  era === '1'
    ? await Promise.all([
        from('sdk/dist/esm/client/index.js'),
        from('sdk/dist/esm/client/streamableHttp.js'),
        from('sdk/dist/esm/client/stdio.js'),
      ])
    : await Promise.all([
        from('client/dist/index.mjs'),
        from('client/dist/index.mjs'),
        from('client/dist/stdio.mjs'),
      ]);
const transport =
  kind === 'http'
    ? new http.StreamableHTTPClientTransport(new URL(rest[0]), {
        requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } },
      })
    : new stdio.StdioClientTransport({
        command: rest[0],
        args: rest.slice(1),
        env: JSON.parse(readFileSync(0, 'utf8')),
      });
const client = new Client(
  { name: 'test', version: '1' },
  era === '1' ? {} : { versionNegotiation: { mode: 'auto' } },
);
await client.connect(transport);

async function call(name, given = {}) {
  const result = await client.callTool({ name, arguments: given });
  return {
    isError: result.isError ?? false,
    data: result.structuredContent ?? null,
    text: JSON.parse(result.content[0].text),
  };
}

const said = {
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  whoami: await call('whoami'),
  search: await call('search_memory', { query: 'refund', limit: 2 }),
  wrong: await call('search_memory', { query: 'refund', limit: 0 }),
  answer: await call('ask_worker', { input: 'What of refunds?', idempotency_key: 'one' }),
  again: await call('ask_worker', { input: 'What of refunds?', idempotency_key: 'one' }),
};
// The client's own time-out is as long as the wait it asks for.
const slow = { name: 'ask_worker', arguments: { input: 'slow', timeout_seconds: 5 } };
const options = { timeout: 5000 };
const out = era === '1' ? await client.callTool(slow, undefined, options) : await client.callTool(slow, options);
said.out = JSON.parse(out.content[0].text);
try {
  await call('no_such_tool');
} catch (error) {
  said.unknown = error.code;
}
console.log(JSON.stringify(said));
await client.close();
