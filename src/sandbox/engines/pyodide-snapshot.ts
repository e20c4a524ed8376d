import { join } from 'node:path';
import { type Log, sha256, writeFile } from '../../base/index.js';
import { type GuestCommand, spawnGuest } from './spawn-guest.js';

/** Modules that are imported in the snapshot: those of the guest and those that programs use most. */
export const SNAPSHOT_IMPORTS = `import ast, asyncio, base64, bisect, calendar, collections, concurrent.futures, contextlib, copy, csv
import dataclasses, datetime, decimal, difflib, enum, fractions, functools, hashlib, heapq, html, inspect, io, itertools, json
import keyword, linecache, logging, math, operator, os, pathlib, random, re, statistics, string, sys, textwrap, threading, time
import traceback, types, typing, unicodedata, urllib.parse, uuid, zlib
`;

/** Building takes seconds on an idle machine. */
const BUILD_MS = 120_000;
const MAX_SNAPSHOT_BYTES = 128 * 1024 * 1024;

export interface SnapshotPlan {
  readonly folder: string;
  /** The name of the engine. Snapshots of other engines are not removed. */
  readonly name: string;
  /** Identifies the engine, its version and everything else that determines the content. */
  readonly key: string;
  readonly maker: Omit<GuestCommand, 'first'>;
  readonly log: Log;
}

/**
 * The path of a file with the memory of a started interpreter, created if it does not exist. Undefined if that fails;
 * then the engine only starts more slowly.
 */
export async function snapshotFile(plan: SnapshotPlan): Promise<string | undefined> {
  const prefix = `${plan.name}-${sha256(plan.key).slice(0, 16)}-`;
  try {
    return found(plan.folder, prefix) ?? (await build(plan, prefix));
  } catch (error) {
    plan.log('warn', 'cannot create a snapshot of Pyodide', { error: String(error) });
    return undefined;
  }
}

/** The file name contains the hash of the content, so a truncated or changed file is ignored. */
function found(folder: string, prefix: string): string | undefined {
  const { readdirSync, readFileSync, existsSync } = process.getBuiltinModule('node:fs');
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    if (name === nameOf(prefix, readFileSync(path))) return path;
  }
  return undefined;
}

function nameOf(prefix: string, bytes: Uint8Array): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${prefix}${createHash('sha256').update(bytes).digest('hex')}.snapshot`;
}

async function build({ folder, name, maker: command, log }: SnapshotPlan, prefix: string): Promise<string> {
  const began = performance.now();
  const maker = await spawnGuest({ ...command, first: new Uint8Array() });
  const timer = setTimeout(() => maker.kill(), BUILD_MS);
  const parts: Buffer[] = [];
  let size = 0;
  let stderr = '';
  maker.errors.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-2_000);
  });
  maker.output.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    size += chunk.length;
    if (size > MAX_SNAPSHOT_BYTES) maker.kill();
  });
  const how = await maker.ended;
  clearTimeout(timer);
  if (how !== 'exit code 0') throw new Error(`${how} ${stderr}`.trim());
  const bytes = Buffer.concat(parts);
  const path = join(folder, nameOf(prefix, bytes));
  await writeFile(path, bytes);
  log('info', 'created a snapshot of Pyodide', { bytes: bytes.length, ms: Math.round(performance.now() - began) });
  tidy(folder, name, path);
  return path;
}

/** Removes snapshots of other versions, which are no longer used. */
function tidy(folder: string, engine: string, current: string): void {
  const { readdirSync, rmSync } = process.getBuiltinModule('node:fs');
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(`${engine}-`) && name.endsWith('.snapshot') && path !== current) rmSync(path, { force: true });
  }
}
