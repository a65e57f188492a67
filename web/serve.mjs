/** Serves dist/ on this machine: `node web/serve.mjs`; PORT chooses the port, else 8787 or the next free one. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const FIRST_PORT = 8787;
const TRIES = 50;

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
};

/**
 * The file behind an address, or null where there is none inside the folder.
 * @param {string} root
 * @param {string} address
 */
async function fileAt(root, address) {
  try {
    const path = normalize(join(root, decodeURIComponent(new URL(address, 'http://localhost').pathname)));
    if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) return null;
    const found = await stat(path);
    if (!found.isDirectory()) return path;
    const index = join(path, 'index.html');
    return (await stat(index)).isFile() ? index : null;
  } catch {
    return null;
  }
}

/** @param {string} [root] */
export function makeServer(root = DIST) {
  return createServer(async (request, response) => {
    const path = request.method === 'GET' || request.method === 'HEAD' ? await fileAt(root, request.url ?? '/') : null;
    if (!path) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('not found\n');
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
    });
    if (request.method === 'HEAD') response.end();
    else createReadStream(path).pipe(response);
  });
}

/**
 * @param {import('node:http').Server} server
 * @param {number} port 0 takes any free one
 * @returns {Promise<number>} the port it listens on
 */
export function listen(server, port) {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, 'localhost', () => {
      server.off('error', failed);
      const address = server.address();
      done(typeof address === 'object' && address ? address.port : port);
    });
  });
}

export async function serve() {
  if (!(await fileAt(DIST, '/'))) {
    console.error('dist/index.html is missing: run "npm run build" first');
    process.exit(1);
  }
  const fixed = process.env.PORT ? Number(process.env.PORT) : null;
  if (fixed !== null && !(Number.isInteger(fixed) && fixed >= 0 && fixed < 65536)) {
    console.error(`PORT must be a port number, not "${process.env.PORT}"`);
    process.exit(2);
  }
  for (let port = fixed ?? FIRST_PORT; ; port += 1) {
    try {
      console.log(`Rigsizer is at http://localhost:${await listen(makeServer(), port)}/`);
      return;
    } catch (error) {
      const taken = /** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE';
      if (!taken || fixed !== null || port >= FIRST_PORT + TRIES) {
        console.error(taken ? `port ${port} is taken` : String(error));
        process.exit(1);
      }
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();
