// SPDX-License-Identifier: Apache-2.0
// Runs a script of Yosys in another Yosys, npm's @yowasp/yosys, which has its own file system:
//   node second_yosys.mjs BUNDLE SCRIPT.ys OUT.aig
// The files that the script names are put there, and what its last command writes is OUT.aig.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [bundle, script, out] = process.argv.slice(2);
const { runYosys, Exit } = await import(pathToFileURL(resolve(bundle)).href);
const tree = {};

function put(path, text) {
  const folders = resolve(path).split('/').slice(1);
  const name = folders.pop();
  let at = tree;
  for (const folder of folders) {
    at = at[folder] ??= {};
  }
  at[name] = text ?? readFileSync(path);
  return resolve(path);
}

function given(word) {
  if (word.startsWith('-I')) {
    const folder = word.slice(2);
    readdirSync(folder).filter((f) => f.endsWith('h')).forEach((f) => put(join(folder, f)));
    return `-I${resolve(folder)}`;
  }
  return existsSync(word) && statSync(word).isFile() ? put(word) : word;
}

const commands = readFileSync(script, 'utf8').trim().replace(/\S+$/, '/out.aig');
put('/script.ys', commands.replace(/\S+/g, given));
try {
  writeFileSync(out, (await runYosys(['-q', '/script.ys'], tree))['out.aig']);
} catch (e) {
  if (!(e instanceof Exit)) {
    throw e;
  }
  process.exitCode = e.code;
}
