// A server of revision 2026-07-28 alone: npm @modelcontextprotocol/server with the legacy handshake refused.
// ISU_NPM names the node_modules folder, PORT the port.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (name) => import(pathToFileURL(join(process.env.ISU_NPM, '@modelcontextprotocol', name, 'dist/index.mjs')));
const { McpServer, createMcpHandler } = await load('server');
const { toNodeHandler } = await load('node');

const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'modern-only', version: '1.0.0' });
    server.registerTool('noop', { description: 'does nothing' }, () => ({ content: [] }));
    return server;
  },
  { legacy: 'reject' },
);
const serve = toNodeHandler(handler);
createServer((request, response) => void serve(request, response)).listen(Number(process.env.PORT), '127.0.0.1');
