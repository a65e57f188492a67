// npm start: install what is missing, build what changed, serve the calculator.
import { build } from './build.mjs';

build();
const { serve } = await import('../web/serve.mjs');
await serve();
