import { it } from 'vitest';
import { parseText } from '../src/sources/formats/index.js';
const t=async(label:string,text:string,f:any)=>{const s=performance.now();const r=await parseText(text,f);const d=performance.now()-s; console.log(label,(text.length/1e6).toFixed(2)+'MB',r.kind,(r as any).message?.slice(0,80)??'',d.toFixed(0)+'ms'); return d};
it('perf',async()=>{
 for (const size of [60000,250000,1000000]) {
 const grow=(unit:string)=>unit.repeat(Math.floor(size/unit.length));
 await t('yaml normal','mcpServers:\n'+Array.from({length:size/130},(_,n)=>`  server-${n}:\n    command: node\n    args: [server.js, ${'x'.repeat(50)}]\n    env:\n      TOKEN: "${n}"\n`).join(''),'yaml');
 }
 for (const size of [30000,60000,120000]) {
 const grow=(unit:string)=>unit.repeat(Math.floor(size/unit.length));
 await t('keys',Array.from({length:size/7},(_,n)=>`k${n}: \n`).join(''),'yaml');
 await t('flow keys','{'+Array.from({length:size/7},(_,n)=>`k${n}: 1,`).join('')+'}','yaml');
 for (const u of ['[','{','- ','? ','a: ','&a ','!a ','"','\'','|','>','\n','# x\n','--- \n','...\n','- a\n','*a ','- &a b\n','%','a: [','@','\t',' ',': ','[a, ','{a: ','"\\\n',',','<<: ','- *a\n', '!<', '\\', '"a" ', 'x\n', '  x\n', '- - -\n','|\n', 'é','\u2028', '? a\n: b\n']) {
  const s=performance.now(); await parseText(grow(u),'yaml'); const d=performance.now()-s; if (d>100) console.log(JSON.stringify(u),size,d.toFixed(0)+'ms');
  const s2=performance.now(); await parseText('a: &a\n  - '+grow(u),'yaml'); const d2=performance.now()-s2; if (d2>100) console.log('in',JSON.stringify(u),size,d2.toFixed(0)+'ms');
 }}
},170000);
