#!/usr/bin/env node
import { Command } from 'commander';

await new Command('registry-sync').description('Keeps a local copy of an asset registry.').parseAsync();
