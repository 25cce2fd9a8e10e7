import { DockerfileParser, type Instruction, type ModifiableInstruction } from 'dockerfile-ast';

/** One stage of a Dockerfile: what is done to its files in order, and what its image says of itself. */
export interface Stage {
  name: string;
  image: string;
  steps: Step[];
  env: Record<string, string>;
  exposed: string[];
  volumes: string[];
  stopSignal: string | undefined;
  /** Given by number. */
  user: { uid: number; gid: number } | undefined;
  command: string[];
  healthCheck: string[];
}

export type Step =
  | { does: 'WORKDIR'; path: string }
  | { does: 'COPY'; from: string | undefined; sources: string[]; target: string }
  | { does: 'RUN'; command: string };

type Reader = (stage: Stage, words: string[], instruction: Instruction) => void;

/** The instructions that the Dockerfile uses. One that is not here is refused, and not passed over. */
const READERS: Record<string, Reader> = {
  WORKDIR: (stage, [path = '']) => stage.steps.push({ does: 'WORKDIR', path }),
  COPY: (stage, words, instruction) => {
    const from = flagOf(instruction, 'from');
    stage.steps.push({ does: 'COPY', from, sources: words.slice(0, -1), target: words.at(-1) ?? '' });
  },
  RUN: (stage, _, instruction) => stage.steps.push({ does: 'RUN', command: instruction.getArgumentsContent() ?? '' }),
  ENV: (stage, words) => Object.assign(stage.env, Object.fromEntries(words.map((word) => word.split('=', 2)))),
  USER: (stage, [user = '']) => (stage.user = numbersOf(user)),
  VOLUME: (stage, words) => stage.volumes.push(...words),
  EXPOSE: (stage, words) => stage.exposed.push(...words),
  STOPSIGNAL: (stage, [signal]) => (stage.stopSignal = signal),
  HEALTHCHECK: (stage, _, instruction) => (stage.healthCheck = wordsInJson(instruction)),
  CMD: (stage, _, instruction) => (stage.command = wordsInJson(instruction)),
};

/** @throws Error for an instruction that is not understood here */
export function readStages(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    const words = instruction.getArguments().map((argument) => argument.getValue());
    if (keyword === 'FROM') {
      stages.push(newStage(words));
      continue;
    }
    const [read, stage] = [READERS[keyword], stages.at(-1)];
    if (read === undefined || stage === undefined) throw new Error(`${keyword} is not understood here.`);
    read(stage, words, instruction);
  }
  return stages;
}

function newStage([image = '', , name = '']: string[]): Stage {
  const nothing = { steps: [], env: {}, exposed: [], volumes: [], command: [], healthCheck: [] };
  return { name, image, stopSignal: undefined, user: undefined, ...nothing };
}

function flagOf(instruction: Instruction, name: string): string | undefined {
  const flags = (instruction as ModifiableInstruction).getFlags();
  const other = flags.find((flag) => flag.getName() !== name);
  if (other !== undefined) throw new Error(`--${other.getName()} is not understood here.`);
  return flags[0]?.getValue() ?? undefined;
}

function numbersOf(user: string): { uid: number; gid: number } {
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(user) ?? [];
  if (uid === undefined) throw new Error(`USER ${user} is not given by numbers.`);
  return { uid: Number(uid), gid: Number(gid) };
}

/** The exec form; the parser's own words end at each space. */
function wordsInJson(instruction: Instruction): string[] {
  const text = instruction.getArgumentsContent() ?? '';
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}
