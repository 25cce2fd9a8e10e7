import { serve } from '../floor/serve.js';
import { createFastify } from './server.js';

await serve(createFastify);
