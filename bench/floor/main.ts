import { serve } from './serve.js';
import { createFloor } from './server.js';

await serve(createFloor);
