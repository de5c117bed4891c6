import{A as Gt,B as Re,C as Vt,I as Yt,J as zt,a as ie,b as Ut,e as N,f as it,g as Y,h as Ht,j as Te,l as Jt,n as Xt,s as Kt,w as me}from"./shared2.js";import{D as x,E as L,F as E,G as M,H,I as F,K as O,L as Oe,M as C,N as V,O as T,P as B,Q as pe,S as P,T as J,a as Ee,aa as Ft,c as $,d as y,e as It,f as A,g as I,i as l,k as de,l as fe,m as Nt,o as Lt,s as jt,t as Pt,u as re,v as _,va as Bt,w as qt,wa as Wt,x as Dt,y as R}from"./shared1.js";var Ts={};Ee(Ts,{default:()=>Os});function Me({id:e,root:t}){return e===t?"model":e.startsWith(`${t}@`)?"pinned":"alias"}function he({context_window:e,max_output_tokens:t}){return[...e?[`${V(e)} context`]:[],...t?[`${V(t)} output`]:[]]}var ro=new Map([["images",[1,"image"]],["searches",[1e3,"1,000 searches"]],["characters",[1e6,"million characters"]],["seconds",[60,"minute"]]]);function Ie({prices:e}){if(!e)return;let t=[...ro].filter(([o])=>e.units?.[o]!==void 0).map(([o,[r,i]])=>`$${Number((e.units[o]*r).toPrecision(3))} per ${i}`);return[...t.length===0||e.input>0||e.output>0?[`${P(e.input)} in, ${P(e.output)} out`]:[],...t].join(", ")}var io=new Map([["tools","tools"],["vision","images"],["json_schema","JSON schema"],["reasoning","reasoning"]]);function ae({capabilities:e}){return[...io].filter(([t])=>e?.[t]).map(([,t])=>t)}var ao=["images","speech","transcription","rerank","embeddings","moderation"];function at({capabilities:e,dimensions:t}){return ao.find(s=>e?.[s]===!0)??(t===void 0?"chat":"embeddings")}var Qt={kind:"number",min:-2,max:2,step:.1},lt=[{name:"temperature",kind:"number",min:0,max:2,step:.1,slider:2},{name:"max_tokens",kind:"integer",min:1,slider:8192},{name:"top_p",kind:"number",min:0,max:1,step:.05,slider:1},{name:"reasoning_effort",kind:"choice",options:["none","minimal","low","medium","high","xhigh","max"]},{name:"response_format",kind:"format",accepts:"object"},{name:"tool_choice",kind:"choice",options:["auto","none","required"]}],$e=[{name:"max_completion_tokens",kind:"integer",min:1},{name:"stop",kind:"lines",hint:"One sequence per line"},{name:"seed",kind:"integer"},{name:"frequency_penalty",...Qt},{name:"presence_penalty",...Qt},{name:"logit_bias",kind:"json",accepts:"object",hint:"Token ID: -100 to 100"},{name:"verbosity",kind:"choice",options:["low","medium","high"]},{name:"parallel_tool_calls",kind:"boolean"},{name:"service_tier",kind:"choice",options:["auto","default","flex","priority"]},{name:"store",kind:"boolean"},{name:"user",kind:"text"},{name:"metadata",kind:"json",accepts:"object"},{name:"models",kind:"lines",hint:"Models to try after the first, one per line"},{name:"other",label:"other members",kind:"json",accepts:"object",hint:"Any further members of the body, such as top_k"},{name:"x-sluice-strict",kind:"boolean",hint:"Refuse the request if a parameter would be ignored"},{name:"x-sluice-deadline-ms",kind:"integer",min:1,max:999999999},{name:"x-sluice-tags",kind:"text",hint:"For usage reports, separated by commas"}],Zt=new Map([...lt,...$e].map(e=>[e.name,e]));function ct(e){return Zt.get(e)}function ge(e,t){if(t.trim()==="")return{};switch(e.kind){case"number":case"integer":return lo(e,t.trim());case"boolean":return t==="true"||t==="false"?{value:t==="true"}:{error:"Must be true or false"};case"lines":return{value:t.split(`
`).filter(n=>n!=="")};case"format":case"json":return en(e,t);default:return{value:t.trim()}}}function lo({kind:e,min:t,max:n},s){let r=/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(s)?Number(s):NaN;return Number.isFinite(r)&&(e==="number"||Number.isInteger(r))&&(t===void 0||r>=t)&&(n===void 0||r<=n)?e==="integer"&&!Number.isSafeInteger(r)?{error:"Must be between -2^53 and 2^53"}:{value:r}:{error:`Must be ${ut({kind:e,min:t,max:n})}`}}function ut({kind:e,min:t,max:n}){let s=e==="integer"?"a whole number":"a number";return t!==void 0&&n!==void 0?`${s} from ${t} to ${n}`:t!==void 0?`${s} of at least ${t}`:s}function en({accepts:e},t){let n=fe(t);if("error"in n)return n;let{value:s}=n;return(Array.isArray(s)?"list":s===null?"null":typeof s)===e?{value:s}:{error:`Must be ${e==="object"?"a JSON object":"a JSON list"}`}}function Ne(e){let t=new Map,n=new Map;for(let[s,o]of Zt){let r=ge(o,e[s]??"");"error"in r?n.set(s,r.error):"value"in r&&t.set(s,r.value)}return{values:t,errors:n}}function te(e){if(e.trim()==="")return{};let t=en({accepts:"list"},e);if("error"in t)return t;for(let[n,s]of t.value.entries()){let o=co(s);if(o!==void 0)return{error:`Tool ${n+1}: ${o}`}}return t.value.length===0?{}:t}function co(e){if(!de(e))return"must be an object";if(typeof e.type!="string")return`'type' is missing, such as "function"`;if(e.type!=="function")return;if(!de(e.function))return"'function' is missing";let{name:t}=e.function;return typeof t=="string"&&t!==""?void 0:"'function.name' is missing"}var z=new Map([["text",'{ "type": "text" }'],["json_object",'{ "type": "json_object" }'],["json_schema",JSON.stringify({type:"json_schema",json_schema:uo()},null,2)]]);function uo(){return{name:"city",strict:!0,schema:{type:"object",properties:{city:{type:"string"},country:{type:"string"}},required:["city","country"],additionalProperties:!1}}}function be(e){if(e.trim()==="")return"";let t=fe(e).value?.type;return z.has(t)?t:"json_schema"}var le=JSON.stringify([{type:"function",function:{name:"get_weather",description:"The current weather of a city",parameters:{type:"object",properties:{city:{type:"string"},unit:{enum:["celsius","fahrenheit"]}},required:["city"]}}}],null,2);function tn(e,t){let n=e.trim()===""?[]:[{role:"system",content:e}];for(let{user:s,steps:o}of t){n.push(fo(s));for(let r of o)n.push(...po(r))}return n}function fo({text:e,images:t}){if(t.length===0)return{role:"user",content:e};let n=t.map(({url:s})=>({type:"image_url",image_url:{url:s}}));return{role:"user",content:e===""?n:[{type:"text",text:e},...n]}}function po(e){let t=e.toMessage();if(t===void 0)return[];let n=(t.tool_calls??[]).map(({id:s})=>({role:"tool",tool_call_id:s,content:e.toolAnswers.get(s)??""}));return[t,...n]}var nn=["temperature","max_tokens","reasoning_effort"],mo=["tool_choice","parallel_tool_calls"];function dt({system:e,parameters:t,tools:n,stream:s,streamUsage:o},{own:r={}}){let i={...t};for(let[a,c]of Object.entries(r.parameters??{}))c.trim()!==""&&(i[a]=c,a==="max_tokens"&&delete i.max_completion_tokens);if(r.tools===!1)for(let a of mo)delete i[a];return{system:r.system??e,parameters:i,stream:s,streamUsage:o,tools:r.tools===!1?"":n}}function sn({own:e={}}){return[...e.system===void 0?[]:["own system message"],...Object.entries(e.parameters??{}).filter(([,t])=>t.trim()!=="").map(([t,n])=>`${t} ${n.trim()}`),...e.tools===!1?["no tools"]:[]]}function ft({parameters:e,tools:t,stream:n,streamUsage:s}){let{values:o,errors:r}=Ne(e),i={},a={},c=te(t);"error"in c&&r.set("tools",c.error),n&&(i.stream=!0,s&&(i.stream_options={include_usage:!0,include_cost:!0})),c.value!==void 0&&(i.tools=c.value);for(let[u,d]of o)u.startsWith("x-sluice-")?a[u]=String(d):u==="other"?Object.assign(i,d):i[u]=u==="tool_choice"?$o(d):d;return a["x-sluice-strict"]==="false"&&delete a["x-sluice-strict"],{members:i,headers:a,errors:r}}var ho=new Set(["auto","none","required"]);function $o(e){return ho.has(e)?e:{type:"function",function:{name:e}}}function on(e,t,n){return{model:e,messages:t,...n}}var je=class{#a;#s=[];#e=[];#t=[];#n=new Map;#i=new Map;finishReason=null;usage=null;model=null;hasReasoning=!1;constructor(t=()=>{}){this.#a=t}addChunk({model:t,choices:n,usage:s}){typeof t=="string"&&(this.model=t),s&&(this.usage=s);let o=Array.isArray(n)?n.find(({index:r})=>!r):void 0;o!==void 0&&(this.#c(o.delta??{}),o.finish_reason&&(this.finishReason=o.finish_reason))}addCompletion({model:t,choices:n,usage:s}){let[o]=Array.isArray(n)?n:[];this.addChunk({model:t,usage:s,choices:[{...o,index:0,delta:o?.message}]})}#c({content:t,reasoning_content:n,reasoning_details:s,refusal:o,tool_calls:r}){this.#l("reasoning",this.#e,n),this.#l("content",this.#s,t),this.#l("refusal",this.#t,o),Array.isArray(r)&&r.forEach((i,a)=>this.#r(i,i.index??a)),Array.isArray(s)&&s.forEach((i,a)=>this.#o(i,i.index??a))}#l(t,n,s){typeof s!="string"||s===""||(t==="reasoning"&&(this.hasReasoning=!0),n.push(s),this.#a(t,s))}#r({index:t,id:n,type:s,function:o,custom:r,...i},a){let c=this.#n.get(a);c===void 0&&(c={id:"",type:"function",name:"",input:[],others:{}},this.#n.set(a,c)),n&&(c.id=n),s&&(c.type=s);let u=o??r??{};u.name&&(c.name=u.name);let d=u.arguments??u.input;typeof d=="string"&&d!==""&&c.input.push(d),this.#a("call",d??""),Object.assign(c.others,i)}#o({index:t,...n},s){let o=this.#i.get(s);if(o===void 0){this.#i.set(s,{...n});return}for(let[r,i]of Object.entries(n)){let a=(r==="text"||r==="summary")&&typeof o[r]=="string";o[r]=a&&typeof i=="string"?o[r]+i:i}}get content(){return Le(this.#s)}get reasoning(){return Le(this.#e)}get refusal(){return Le(this.#t)}get toolCalls(){return[...this.#n.values()].map(({id:t,type:n,name:s,input:o,others:r})=>{let i=Le(o);return n==="custom"?{id:t,type:n,custom:{name:s,input:i},...r}:{id:t,type:n,function:{name:s,arguments:i},...r}})}toMessage(){let{content:t,refusal:n,toolCalls:s}=this;if(t===""&&n===""&&s.length===0)return;let o=[...this.#i.values()];return{role:"assistant",content:t===""?null:t,...n!==""&&{refusal:n},...s.length>0&&{tool_calls:s},...o.length>0&&{reasoning_details:o}}}};function Le(e){return e.length>1&&e.splice(0,e.length,e.join("")),e[0]??""}function we(e){let t=n=>{let s=e.get(n);return s===null||s===""?null:Number(s)};return{requestId:e.get("x-request-id"),provider:e.get("x-sluice-provider"),model:e.get("x-sluice-model"),attempts:t("x-sluice-attempts"),overheadMs:t("x-sluice-overhead-ms"),cost:t("x-sluice-cost-usd"),upstreamRequestId:e.get("x-sluice-upstream-request-id"),cache:e.get("x-sluice-cache"),ignored:rn(e.get("x-sluice-ignored")),converted:rn(e.get("x-sluice-converted"))}}function rn(e){return e===null?[]:e.split(", ").filter(t=>t!==""&&!/^and \d+ more$/.test(t))}function pt({ignored:e,converted:t}){let n=e.map(o=>({parameter:o,fate:"ignored"})),s=t.map(o=>{let r=o.indexOf(" "),i=o.indexOf("->");return r!==-1&&r<i?{parameter:o.slice(0,r),fate:"converted",change:o.slice(r+1)}:i===-1?{parameter:o,fate:"converted"}:{parameter:o.slice(0,i),fate:"renamed",to:o.slice(i+2)}});return[...n,...s]}function cn(e,t){if(t===null)return e;let n=new Map(pt(t).map(o=>[o.parameter,o]));return[...e.map(o=>{let r=n.get(o.parameter);return n.delete(o.parameter),o.fate==="as is"&&r!==void 0?{...r,rule:go}:o}),...n.values()]}var go="the vendor refused it as it was",an=["ignored","converted","renamed","added","as is"];function un(e){return e.toSorted((t,n)=>an.indexOf(t.fate)-an.indexOf(n.fate))}function dn({targets:e},t){let n=e.findIndex(({provider:s,model:o})=>s===t?.provider&&o===t?.model);return Math.max(0,n)}function fn({target:e,attempts:t,state:n,headers:s}){if(n==="preview")return"";if(s?.cache==="hit")return"answered by the response cache";if(e===null)return"";let o=`${e.provider} / ${e.model}`;return n==="failed"?t>1?`failed at ${o} after ${t} attempts`:`failed at ${o}`:t>1?`answered by ${o} after ${t} attempts`:`answered by ${o}`}var ln=400;function pn(e){return JSON.stringify(e,(t,n)=>typeof n=="string"&&n.length>ln?`${n.slice(0,ln/2)}\u2026 (${n.length} characters)`:n,2)??""}var mn="/v1/chat/completions",bo=[60,200,500,1e3,2e3,4e3,8e3],wo=50;function mt(){let e=crypto.getRandomValues(new Uint8Array(12));return`req_${Array.from(e,t=>t.toString(16).padStart(2,"0")).join("")}`}var yo=0,Q=class{id=++yo;state="waiting";error=null;headers=null;explanation=null;explanationError=null;record=null;isRestored=!1;toolAnswers=new Map;requestId=mt();startedAt=performance.now();firstTextAt=null;endedAt=null;version=0;#a=new Set;#s=new Set;#e=new AbortController;#t=!1;constructor(t){this.request=t,this.fold=new je((n,s)=>this.#c(n,s))}async start(){let{body:t,headers:n}=this.request;try{let s=await re(mn,{body:t,headers:{...n,"x-request-id":this.requestId},signal:this.#e.signal});this.#l(s.headers),await this.#n(s),this.#r("done")}catch(s){s.headers?.has("x-request-id")&&this.#l(s.headers),this.#e.signal.aborted||(this.error=s),this.#r(this.#e.signal.aborted?"stopped":"failed")}await this.#i()}async explain(){if(this.#t||this.isRestored)return;this.#t=!0;let{body:t,headers:n}=this.request;try{let s={...n,"x-sluice-explain":"true"};this.explanation=await _(mn,{body:t,headers:s})}catch(s){this.explanationError=s}this.#o()}stop(){this.isOpen&&this.#e.abort()}get isOpen(){return this.state==="waiting"||this.state==="streaming"}toMessage(){return this.fold.toMessage()}async#n(t){let{fold:n}=this;if(!(t.headers.get("content-type")??"").startsWith("text/event-stream")){n.addCompletion(await t.json());return}let s=!1;if(await Ft(t,({data:o})=>{if(o==="[DONE]"){s=!0;return}let r=JSON.parse(o),i=qt(r,{requestId:t.headers.get("x-request-id"),headers:t.headers});if(i!==void 0)throw i;n.addChunk(r)}),!s)throw new Error("The stream ended before the answer was complete")}async#i(){for(let t of bo){await new Promise(n=>setTimeout(n,t));try{this.record=await _(`/v1/requests/${this.requestId}`);break}catch(n){if(n.status!==404)break}}this.#o()}#c(t,n){this.firstTextAt===null&&(this.firstTextAt=performance.now(),this.state="streaming",this.#o());for(let s of this.#s)s(t,n)}#l(t){this.headers=we(t),this.#o()}#r(t){this.endedAt=performance.now(),this.state=t,this.#o()}answerTool(t,n){this.toolAnswers.set(t,n),this.#o()}onChange(t){return this.#a.add(t),()=>this.#a.delete(t)}onText(t){return this.#s.add(t),()=>this.#s.delete(t)}#o(){this.version++;for(let t of this.#a)t()}get timing(){let{startedAt:t,firstTextAt:n,endedAt:s}=this,o=this.request.body.stream===!0,r=s===null?null:s-t,i=this.fold.usage?.completion_tokens,a=s===null||n===null?0:s-n,c=o&&i>0&&a>=wo?i/(a/1e3):null;return{first:o&&n!==null?n-t:null,total:r,speed:c}}get target(){let{headers:t,record:n}=this;return t?.provider?{provider:t.provider,model:t.model??""}:n?.provider?{provider:n.provider,model:n.upstream??""}:null}get attempts(){return this.headers?.attempts??this.record?.attempt_count??null}get cost(){let t=this.fold.usage?.cost??this.headers?.cost??this.record?.cost_usd??null;return typeof t=="number"?t:null}};var q=new Map([["images",{title:"Image",path:"/v1/images/generations",verb:"Create",fields:[{name:"prompt",kind:"long",isRequired:!0,placeholder:"What the image shows"},{name:"size",kind:"text",hint:"Such as 1024x1024"},{name:"quality",kind:"text",hint:"Such as low, medium or high"},{name:"n",kind:"integer",min:1,max:10}]}],["speech",{title:"Speech",path:"/v1/audio/speech",verb:"Speak",fields:[{name:"input",kind:"long",isRequired:!0,placeholder:"The text to speak"},{name:"voice",kind:"text",isRequired:!0},{name:"instructions",kind:"text"},{name:"speed",kind:"number",min:.25,max:4,step:.25},{name:"response_format",kind:"choice",options:["mp3","wav","opus","aac","flac"]}]}],["transcription",{title:"Transcription",path:"/v1/audio/transcriptions",verb:"Transcribe",takesFile:!0,fields:[{name:"language",kind:"text",hint:"Such as en"},{name:"prompt",kind:"text",hint:"Names and words that occur"},{name:"temperature",kind:"number",min:0,max:1,step:.1}]}],["rerank",{title:"Rerank",path:"/v1/rerank",verb:"Rank",fields:[{name:"query",kind:"long",isRequired:!0,placeholder:"What is looked for"},{name:"documents",kind:"lines",isRequired:!0,hint:"One document per line",placeholder:"The texts to rank"},{name:"top_n",kind:"integer",min:1}]}]]);function hn(e){return e==="speech"?{voice:"alloy"}:{}}function Pe(e,{model:t,texts:n,file:s}){let{fields:o,takesFile:r}=q.get(e),i={model:t},a=new Map;t.trim()===""&&a.set("model","Choose a model"),r&&s===null&&a.set("file","Choose a file");for(let c of o){let{name:u,isRequired:d}=c,p=ge(c,n[u]??"");"error"in p?a.set(u,p.error):"value"in p?i[u]=p.value:d&&a.set(u,"Must not be empty")}return{body:i,errors:a}}function $n(e,t){let n=new FormData;for(let[s,o]of Object.entries(e))n.append(s,String(o));return n.append("file",t),n}function gn({results:e=[]},t){return e.map(({index:n,relevance_score:s})=>({index:n,score:s,text:t[n]??""}))}var vo=[["/9j/","image/jpeg"],["UklGR","image/webp"],["R0lGOD","image/gif"]];function bn({data:e=[]}){return e.map(({b64_json:t,url:n,revised_prompt:s})=>{if(typeof t!="string")return{url:String(n),isData:!1,prompt:s};let[,o]=vo.find(([r])=>t.startsWith(r))??["","image/png"];return{url:`data:${o};base64,${t}`,isData:!0,prompt:s}})}var qe=4,xo=0;function ne(){return++xo}function wn(){return{columns:[{id:ne(),model:""}],kind:"chat",media:Object.fromEntries([...q.keys()].map(e=>[e,{model:"",texts:hn(e),file:null,run:null}])),system:"",turns:[],draft:{text:"",images:[]},parameters:{},tools:"",stream:!0,streamUsage:!0,selected:null,panel:"chat"}}var U=wn(),ce=new Set;function k(){return U}function yn(e){return ce.add(e),()=>ce.delete(e)}function w(e){U={...U,...typeof e=="function"?e(U):e};for(let t of ce)t()}function W(e,t){w(({media:n})=>({media:{...n,[e]:{...n[e],...t}}}))}function vn(){let{media:e}=U;for(let t of[...se(U),...Object.values(e).map(({run:n})=>n)])t?.stop();U=wn();for(let t of ce)t()}function se({turns:e}){return e.flatMap(({runs:t})=>[...t.values()].flat())}function De(){let[,e]=$(U);return y(()=>{let t=()=>e(U);return ce.add(t),t(),()=>ce.delete(t)},[]),U}function Fe(e){let[,t]=$(e.version);return y(()=>{let n=()=>t(e.version),s=e.onChange(n);return n(),s},[e]),e}function xn(e){let t=()=>e.map(({version:s})=>s).join(),[,n]=$(t);y(()=>{let s=()=>n(t()),o=e.map(r=>r.onChange(s));return s(),()=>o.forEach(r=>r())},[e.map(({id:s})=>s).join()])}function ko(e,t){return e.map(({user:n,runs:s})=>({user:n,steps:s.get(t)??[]}))}function Be(e,t){let n=dt(k(),e),{members:s,headers:o,errors:r}=ft(n);if(r.size>0){let[[a,c]]=r;throw new RangeError(`${a}: ${c}`)}let i=tn(n.system,ko(t,e.id));return{model:e.model,body:on(e.model,i,s),headers:o}}function Ue(e){if(e.columns.some(({model:t})=>t.trim()===""))return"Choose a model";for(let t of e.columns){let{errors:n}=ft(dt(e,t));if(n.size>0)return`Correct '${[...n.keys()][0]}' in the parameters`}if(ye(e))return"An answer is being written"}function ye(e){return se(e).some(t=>t.isOpen)}function We(){let{draft:e,turns:t}=k();if(e.text===""&&e.images.length===0)return;let n={id:ne(),user:e,runs:new Map};w({draft:{text:"",images:[]},turns:[...t,n]}),He(n.id)}function He(e){let{columns:t,turns:n}=k(),s=n.findIndex(a=>a.id===e),o=n.slice(0,s),r={...n[s],runs:new Map},i=t.map(a=>new Q(Be(a,[...o,r])));t.forEach((a,c)=>r.runs.set(a.id,[i[c]])),w({turns:[...o,r],selected:i[0]});for(let a of i)_n(a)}function kn(e,t){Cn(e,t,n=>n)}function Sn(e,t){Cn(e,t,n=>n.slice(0,-1))}function Cn(e,t,n){let{columns:s,turns:o}=k(),r=s.find(({id:d})=>d===t),i=o.findIndex(({id:d})=>d===e),a=n(o[i].runs.get(t)??[]),c={...o[i],runs:new Map([[t,a]])},u=new Q(Be(r,[...o.slice(0,i),c]));Mn(e,t,[...a,u]),w({selected:u}),_n(u)}function _n(e){e.start().catch(n=>reportError(n));let t=e.onChange(()=>{e.isOpen||(t(),w({}))})}function ht(){let e=new Q(gt());e.state="preview",$t(e)}function $t(e){w({selected:e,panel:"receipt"})}function An(e){let{columns:t,turns:n}=k();if(t.length>=qe)return;let[s]=t,o=new Set(t.map(({model:i})=>i)),r={id:ne(),model:e.find(({id:i})=>!o.has(i))?.id??s.model};w({columns:[...t,r],turns:n.map(i=>{let a=i.runs.get(s.id)??[];return{...i,runs:new Map(i.runs).set(r.id,a)}})})}function gt(e){let{columns:t,draft:n,turns:s}=k(),o=t.find(({id:c})=>c===e)??t[0],r=n.text===""&&n.images.length===0,i=s.at(-1)?.runs.get(o.id)??[],a=i.at(-1);if(r&&a!==void 0&&!a.isRestored)return a.request;if(r&&a!==void 0){let c=new Map([[o.id,i.slice(0,-1)]]);return Be(o,[...s.slice(0,-1),{...s.at(-1),runs:c}])}return Be(o,[...s,{user:n,runs:new Map}])}function Je(){for(let e of se(k()))e.stop()}function En(e,t){In(e,n=>({...n,user:t}))}function On(e){let{turns:t}=k();se({turns:t.filter(n=>n.id===e)}).forEach(n=>n.stop()),w({turns:t.filter(n=>n.id!==e)})}function Tn(e,t,n){n.stop();let{runs:s}=k().turns.find(({id:o})=>o===e);Mn(e,t,(s.get(t)??[]).filter(o=>o!==n))}function Rn(){Je(),w({turns:[],selected:null})}function Mn(e,t,n){In(e,s=>({...s,runs:new Map(s.runs).set(t,n)}))}function In(e,t){w(({turns:n})=>({turns:n.map(s=>s.id===e?t(s):s)}))}var bt=["image/png","image/jpeg","image/webp","image/gif"],Nn=1e7,Ln=2e7;function So({name:e,type:t,size:n},s){if(!bt.includes(t))return`'${e}' is ${t||"of an unknown type"}: use PNG, JPEG, WebP or GIF`;if(n>Nn)return`'${e}' is ${J(n)}: the limit of an image is ${J(Nn)}`;if(s+n>Ln)return`'${e}' is too much: the limit of a message's images is ${J(Ln)}`}var jn=12,Co=[["image/png",/^\x89PNG\r\n/],["image/jpeg",/^\xff\xd8\xff/],["image/gif",/^GIF8[79]a/],["image/webp",/^RIFF[^]{4}WEBP/]];function _o(e){let t=String.fromCharCode(...e.subarray(0,jn));return Co.find(([,n])=>n.test(t))?.[0]}async function Pn(e,t){let n=t.reduce((r,{size:i})=>r+i,0),s=[],o=[];for(let r of e){let i=So(r,n);if(i!==void 0){o.push(i);continue}n+=r.size;try{let a=new Uint8Array(await r.slice(0,jn).arrayBuffer()),c=_o(a);if(c===void 0){o.push(`'${r.name}' is not an image: its content is none of PNG, JPEG, WebP and GIF`),n-=r.size;continue}let u=r.type===c?r:new Blob([r],{type:c});s.push({name:r.name||"image",size:r.size,url:await Ao(u)})}catch{o.push(`'${r.name}' cannot be read`)}}return{images:s,faults:o}}function Ao(e){let{promise:t,resolve:n,reject:s}=Promise.withResolvers(),o=new FileReader;return o.onload=()=>n(o.result),o.onerror=()=>s(o.error),o.readAsDataURL(e),t}function Xe({message:e,onChange:t,label:n,placeholder:s,inputRef:o,children:r}){let i=A(null),a=A(e);a.current=e;let[c,u]=$([]),[d,p]=$(!1);y(()=>u(g=>g.length===0?g:[]),[e.images.length,e.text===""]);let f=async g=>{let S=await Pn(g,a.current.images);if(S.images.length>0){let{text:G,images:j}=a.current;t({text:G,images:[...j,...S.images]})}setTimeout(()=>u(S.faults))},m=g=>{let S=[...g.clipboardData?.files??[]];S.length!==0&&(g.preventDefault(),f(S))};return l`
    <div
      class=${`editor ${d?"over":""}`}
      onDrop=${g=>{p(!1);let S=[...g.dataTransfer?.files??[]];S.length!==0&&(g.preventDefault(),f(S))}}
      onDragOver=${g=>{[...g.dataTransfer?.types??[]].includes("Files")&&(g.preventDefault(),p(!0))}}
      onDragLeave=${()=>p(!1)}
    >
      <${wt}
        images=${e.images}
        onRemove=${g=>t({...e,images:e.images.filter(S=>S!==g)})}
      />
      <textarea
        ref=${o}
        class="growing"
        rows="2"
        aria-label=${n}
        placeholder=${s}
        value=${e.text}
        onInput=${g=>t({...e,text:g.target.value})}
        onPaste=${m}
      ></textarea>
      ${c.length>0&&l`
        <div class="fault" role="alert">${c.map(g=>l`<p key=${g}>${g}</p>`)}</div>
      `}
      <div class="editor-tools">
        <input
          ref=${i}
          type="file"
          class="only-read"
          tabindex="-1"
          aria-label="Add images"
          multiple
          accept=${bt.join(",")}
          onChange=${async g=>{await f([...g.target.files]),g.target.value=""}}
        />
        <${E}
          icon="image"
          label="Add images (or paste, or drop them here)"
          onClick=${()=>i.current.click()}
        />
        ${r}
      </div>
      ${d&&l`<div class="drop-note"><${R} name="image" />Drop images here</div>`}
    </div>
  `}function wt({images:e,onRemove:t}){return e.length===0?null:l`
    <ul class="thumbnails" aria-label="Images">
      ${e.map((n,s)=>l`
          <li key=${s}>
          ${n.url.startsWith("data:image/")?l`<img src=${n.url} alt=${n.name} title=${`${n.name}, ${J(n.size)}`} />`:l`<span class="mono small wrap-anywhere">${n.url}</span>`}
            ${t&&l`
              <${E}
                icon="close"
                class="small"
                label=${`Remove ${n.name}`}
                onClick=${()=>t(n)}
              />
            `}
          </li>
        `)}
    </ul>
  `}function qn({state:e}){let t=A(null),[n,s]=$(""),{columns:o,draft:r}=e,i=ye(e),a=Ue(e),c=r.text===""&&r.images.length===0,u=f=>{s("");try{f()}catch(m){s(m.message)}},d=()=>{if(a!==void 0)return i||s(a);u(We),t.current?.focus()},p=A(null);return p.current=f=>{f.key==="Escape"&&document.querySelector("dialog[open]")===null&&Je(),!(f.key!=="Enter"||!(f.ctrlKey||f.metaKey))&&(f.defaultPrevented||(f.preventDefault(),f.shiftKey?u(ht):d()))},y(()=>{let f=m=>p.current(m);return addEventListener("keydown",f),()=>removeEventListener("keydown",f)},[]),l`
    <div class="composer">
      <${Xe}
        message=${r}
        onChange=${f=>w({draft:f})}
        label="Message"
        placeholder=${o.length===1?"Message":`Message to all ${o.length} models`}
        inputRef=${t}
      >
        <${Eo} state=${e} />
        <span class="grow"></span>
        <button type="button" class="quiet" title="Show what would be sent, without sending it (Ctrl Shift Enter)"
          onClick=${()=>u(ht)}>Preview</button>
        ${i?l`<button type="button" class="danger" onClick=${Je}>
              <${R} name="stop" />Stop
            </button>`:l`
            <button type="button" class="primary" title="Ctrl Enter" disabled=${c}
              onClick=${d}>
                          <${R} name="send" />Send
                        </button>
          `}
      <//>
      ${n!==""&&l`
        <div class="error-box row spread" role="alert">
          ${n}
          <${E} icon="close" class="small" label="Close" onClick=${()=>s("")} />
        </div>
      `}
    </div>
  `}function Eo({state:{parameters:e,tools:t}}){let n=te(t).value?.length??0,s=e.response_format??"",o=(a,c)=>{w({panel:"settings",...a}),requestAnimationFrame(()=>document.querySelector(c)?.focus())},r=()=>o(t===""?{tools:le}:{},"#tools"),i=()=>{let a=z.get("json_schema"),c=be(s)==="json_schema";o(c?{}:{parameters:{...e,response_format:a}},"[aria-label='response_format as JSON']")};return l`
    <button type="button" class="quiet" onClick=${r}>Tools${n>0?` ${n}`:""}</button>
    <button type="button" class="quiet phone-hidden" onClick=${i}>JSON schema</button>
  `}var Oo=[{title:"Ask a question",about:"A first answer, streamed",text:"What does a model gateway do? Answer in two sentences."},{title:"Call a tool",about:"The model asks for a function; you answer in its place",text:"What is the weather in Reykjavik? Use get_weather.",tools:le},{title:"Fill a JSON schema",about:"An answer that fits response_format",text:"Describe Lisbon.",parameters:{response_format:z.get("json_schema")}},{title:"See what is ignored",about:"Parameters that a vendor does not support stay visible in the receipt",text:"Say hello.",parameters:{temperature:"0.7",seed:"42",logit_bias:'{ "50256": -100 }'}},{title:"Strict mode",about:"Nothing is dropped: the request is refused with its reason",text:"Say hello.",parameters:{seed:"42","x-sluice-strict":"true"}}];function Dn(){return l`
    <div class="start">
      <h2>Try a model</h2>
      <p class="soft">
        Write a message below, or start with one of these. The receipt shows how the gateway handled each
        request.
      </p>
      <ul class="example-list">
        ${Oo.map(e=>l`
            <li key=${e.title}>
              <button type="button" onClick=${()=>To(e)}>
                <strong>${e.title}</strong>
                <span class="soft small">${e.about}</span>
              </button>
            </li>
          `)}
      </ul>
    </div>
  `}function To({text:e,tools:t="",parameters:n={}}){w({parameters:n,tools:t,draft:{text:e,images:[]}}),Ue(k())===void 0&&We()}var Ke=class{#a;#s;#e=[];#t=0;#n=0;constructor(t,n=()=>{}){this.#a=t,this.#s=n}get isIdle(){return this.#n===0}add(t){for(let n=0;n<t.length;n+=4e3)this.#e.push(t.slice(n,n+4e3));this.#n===0&&(this.#n=requestAnimationFrame(()=>this.#i()))}stop(){cancelAnimationFrame(this.#n),this.#n=0,this.#e=[],this.#t=0}#i(){let t="";for(;this.#t<this.#e.length&&t.length<4e3;)t+=this.#e[this.#t++];if(t!==""&&this.#a(t),this.#t<this.#e.length){this.#n=requestAnimationFrame(()=>this.#i());return}this.#e=[],this.#t=0,this.#n=0,this.#s()}};var Ro=/^(?:https?:\/\/|mailto:)[^\s<>"]+$/i,yt=/[`*_[\\$]|~~|https?:\/\//g,Fn=/[\p{L}\p{N}]/u;function Z(e,t){let n=new Set,s=(i,a)=>{if(n.has(i))return-1;let c=t.indexOf(i,a);return c===-1&&n.add(i),c},o=0,r=i=>{i>o&&e.append(t.slice(o,i))};for(yt.lastIndex=0;;){let i=yt.exec(t);if(i===null)break;let a=i.index,c=Mo(t,a,i[0],s);c!==void 0&&(r(a),e.append(c.node),o=c.end,yt.lastIndex=c.end)}r(t.length)}function Mo(e,t,n,s){switch(n){case"\\":return e[t+1]==="("||e[t+1]==="["?Bn(e,t,s):/[\\`*_[\]#$~]/.test(e[t+1]??"")?{node:document.createTextNode(e[t+1]),end:t+2}:void 0;case"`":return Io(e,t,s);case"*":case"_":return No(e,t,n,s);case"~~":return Lo(e,t,s);case"$":return Bn(e,t,s);case"[":return Po(e,t,s);default:return qo(e,t)}}function Io(e,t,n){let s=e[t+1]==="`"?"``":"`",o=n(s,t+s.length);if(!(o<=t+s.length))return{node:ve("code",e.slice(t+s.length,o).trim()),end:o+s.length}}function No(e,t,n,s){let o=e[t+1]===n,r=o?n+n:n,i=t+r.length;if(/\s/.test(e[i]??" ")||n==="_"&&Fn.test(e[t-1]??""))return;let a=s(r,i+1);if(a===-1||/\s/.test(e[a-1])||n==="_"&&Fn.test(e[a+r.length]??""))return;let c=e.slice(i,a);if(!c.includes(`

`))return{node:ve(o?"strong":"em",c),end:a+r.length}}function Lo(e,t,n){if(/\s/.test(e[t+2]??" "))return;let s=n("~~",t+3);if(!(s===-1||/\s/.test(e[s-1])))return{node:ve("s",e.slice(t+2,s)),end:s+2}}var jo=[["$$","$$"],["$","$"],["\\(","\\)"],["\\[","\\]"]];function Bn(e,t,n){let[s,o]=jo.find(([c])=>e.startsWith(c,t)),r=t+s.length;if(s==="$"&&/[\s\d]/.test(e[r]??" "))return;let i=n(o,r+1);if(i===-1||s==="$"&&/\s/.test(e[i-1]))return;let a=ve("code",e.slice(r,i).trim());return a.className="formula",{node:a,end:i+o.length}}function Po(e,t,n){let s=n("](",t+1);if(s===-1)return;let o=n(")",s+2);if(o===-1)return;let r=e.slice(t+1,s),i=e.slice(s+2,o);if(!(r===""||r.includes("[")||!Ro.test(i)))return{node:Wn(r,i),end:o+1}}var Un=/https?:\/\/[^\s<>"'`)\]]+/y;function qo(e,t){Un.lastIndex=t;let n=Un.exec(e)?.[0].replace(/[.,;:!?*_]{1,9}$/,"");if(!(n===void 0||!URL.canParse(n)))return{node:Wn(n,n),end:t+n.length}}function Wn(e,t){let n=ve("a",e);return n.href=t,n.target="_blank",n.rel="noopener noreferrer",n}function ve(e,t){let n=document.createElement(e);return n.textContent=t,n}var Do=/^[\s|:-]+$/;function Jn(e){let[t,n,...s]=e;if(n===void 0||!Do.test(n)){let c=document.createElement("p");return e.forEach((u,d)=>{d>0&&c.append(`
`),Z(c,u)}),c}let o=document.createElement("table"),r=Xn(n).map(Fo);o.createTHead().append(Hn(t,"th",r));let i=o.createTBody();for(let c of s)i.append(Hn(c,"td",r));let a=document.createElement("div");return a.className="table-scroll",a.append(o),a}function Xn(e){return e.trim().slice(1,-1).split("|").map(t=>t.trim())}function Fo(e){let t=e.endsWith(":");return e.startsWith(":")?t?"center":"left":t?"right":""}function Hn(e,t,n){let s=document.createElement("tr");return Xn(e).forEach((o,r)=>{let i=document.createElement(t);i.dir="auto",i.style.textAlign=n[r]??"",Z(i,o),s.append(i)}),s}function Kn(e){let t=document.createElement("input");return t.type="checkbox",t.disabled=!0,t.checked=e,t.setAttribute("aria-label",e?"Done":"To do"),t}function Gn(e){let t=document.createElement("button");return t.type="button",t.className="quiet small copy-code",t.textContent="Copy",t.addEventListener("click",async()=>{let n=[...e.querySelectorAll("pre")].map(s=>s.textContent).join("");t.textContent=await Dt(n)?"Copied":"Cannot copy"}),t}var Ge=2e3,Bo=16,Uo=/^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/,Wo=/^(#{1,6})\s+(.*?)\s*#*$/,Ho=/^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/,Jo=/^ {0,3}(?:-[ -]*-[ -]*-|\*[ *]*\*[ *]*\*|_[ _]*_[ _]*_)\s*$/,Xo=/^ {0,3}> ?(.*)$/,Ko=/^\s*\|.*\|\s*$/,Go=/^\[([ xX])\]\s+/,Ve=class{#a;#s=null;#e="";#t=null;#n=[];#i=0;#c="";#l="";#r=null;#o=null;constructor(t){this.#a=t}write(t){let n=0;for(let s=t.indexOf(`
`);s!==-1;s=t.indexOf(`
`,n)){let o=this.#e+t.slice(n,s);this.#e="",this.#f(),this.#p(o.endsWith("\r")?o.slice(0,-1):o),n=s+1}n<t.length&&this.#m(t.slice(n))}end(){let t=this.#e;this.#e="",this.#f(),t!==""&&this.#p(t),this.#u()}#d(t){t.localName!=="figure"&&(t.dir="auto"),(this.#s===null||this.#s.childElementCount>=Bo)&&(this.#s?.classList.add("complete"),this.#s=document.createElement("div"),this.#s.className="part",this.#a.append(this.#s)),this.#s.append(t)}#m(t){if(this.#e+=t,this.#e.length>Ge){this.#b();return}this.#t===null&&(this.#t=document.createElement(this.#r===null?"p":"span"),this.#t.append(""),this.#r===null?this.#d(this.#t):this.#r.append(this.#t)),this.#t.firstChild.appendData(this.#e.slice(this.#t.firstChild.length))}#b(){let t=this.#e;this.#e="",this.#f();for(let n=0;n<t.length;){let s=n+Ge;if(s>=t.length){this.#m(t.slice(n));return}let o=t.lastIndexOf(" ",s),r=o>n?o+1:s,i=t.slice(n,r);n=r,this.#r!==null?this.#r.append(i):(this.#p(i),this.#u())}}#f(){this.#t?.remove(),this.#t=null}#p(t){if(this.#r!==null){let i=this.#l;t.trimStart().startsWith(i)&&/^\s*[`~]+\s*$/.test(t)?this.#u():this.#v(`${t}
`);return}let n=Uo.exec(t);if(n!==null)return this.#y(n[1],n[2]);if(t.trim()==="")return this.#u();let s=Wo.exec(t);if(s!==null)return this.#$(`h${s[1].length}`,s[2]);if(Jo.test(t))return this.#$("hr","");let o=Ho.exec(t);if(o!==null)return this.#w(o);let r=Xo.exec(t);if(r!==null)return this.#h("quote",r[1]);this.#h(Ko.test(t)?"table":"text",t)}#h(t,n){if(this.#o!==null&&t==="text"&&/^\s{2}/.test(n)){let o=this.#o.lastElementChild;return o.append(" "),Z(o,n.trim())}if((this.#c!==t||this.#i>Ge)&&this.#u(),this.#c=t,this.#n.push(n),this.#i+=n.length,t==="table")return;this.#n.length===1&&this.#d(document.createElement(t==="quote"?"blockquote":"p"));let s=this.#s.lastElementChild;this.#n.length>1&&s.append(`
`),Z(s,n)}#$(t,n){this.#u();let s=/^h\d$/.test(t),o=document.createElement(s?"p":t);s&&(o.className=`heading heading-${t.slice(1)}`,o.setAttribute("role","heading"),o.setAttribute("aria-level",String(Math.min(6,Number(t.slice(1))+3))),Z(o,n)),this.#d(o)}#w([,t,n,s,o]){let r=n===void 0?"ol":"ul";(this.#o?.localName!==r||this.#o.childElementCount>=Vo)&&(this.#u(),this.#o=document.createElement(r),s!==void 0&&(this.#o.start=Number(s)),this.#d(this.#o));let i=document.createElement("li");i.dir="auto";let a=Math.min(4,Math.floor(t.length/2));a>0&&(i.className=`depth-${a}`);let c=n===void 0?null:Go.exec(o);c!==null&&i.append(Kn(c[1]!==" ")),Z(i,c===null?o:o.slice(c[0].length)),c!==null&&i.classList.add("task"),this.#o.append(i)}#y(t,n){this.#u();let s=document.createElement("figure"),o=document.createElement("figcaption");o.append(n||"text",Gn(s)),s.append(o),this.#d(s),this.#l=t,this.#g(s)}#g(t){this.#r=document.createElement("pre"),this.#r.tabIndex=0,this.#i=0,t.append(this.#r)}#v(t){this.#i>Ge&&this.#g(this.#r.parentElement),this.#r.append(t),this.#i+=t.length}#u(){this.#c==="table"&&this.#d(Jn(this.#n)),this.#c="",this.#n=[],this.#i=0,this.#r=null,this.#o=null}},Vo=100;function vt({run:e,part:t,class:n=""}){let s=A(null);return y(()=>{let o=s.current;o.replaceChildren();let r=new Ve(o),i=!1,a=()=>{i||e.isOpen||(i=!0,r.end())},c=new Ke(f=>r.write(f),a),u=e.fold[t];u!==""&&c.add(u);let d=e.onText((f,m)=>f===t&&c.add(m)),p=e.onChange(()=>c.isIdle&&a());return c.isIdle&&a(),()=>{d(),p(),c.stop()}},[e,t]),l`<div ref=${s} class=${`text ${n}`}></div>`}function Yn({run:e,turnId:t,columnId:n,isLast:s}){let[o,r]=$("");if(e.isOpen)return null;let i=e.fold.toolCalls;if(i.length===0)return null;let a=e.state==="done"&&s,c=i.every(({id:d})=>(e.toolAnswers.get(d)??"")!=="");return l`
    <form class="tool-calls" onSubmit=${d=>{d.preventDefault(),r("");try{kn(t,n)}catch(p){r(p.message)}}}>
      ${i.map((d,p)=>l`
          <${Yo} key=${p} call=${d} run=${e} canAnswer=${a} />
        `)}
      ${a&&l`
        <div class="row">
          <button type="submit" class="primary small" disabled=${!c}>
            <${R} name="send" />Send ${i.length===1?"the result":"the results"}
          </button>
          <span class="hint">The model continues with your answer as the result of the tool.</span>
        </div>
      `}
      ${o!==""&&l`<p class="fault" role="alert">${o}</p>`}
    </form>
  `}function Yo({call:e,run:t,canAnswer:n}){let{name:s,arguments:o,input:r}=e.function??e.custom,i=t.toolAnswers.get(e.id)??"",a=o!==void 0&&!zo(o);return l`
    <div class="tool-call">
      <p class="tool-name">
        <span class="badge accent">tool call</span>
        <strong class="mono wrap-anywhere">${s}</strong>
        ${a&&l`
          <span class="badge bad" title="Most tools cannot be called with them">
            arguments are not a JSON object
          </span>
        `}
        <span class="mono faint small wrap-anywhere">${e.id}</span>
      </p>
      <pre class="code-box" tabindex="0" aria-label=${`Arguments of ${s}`}>${Qo(o??r)}</pre>
      ${(n||i!=="")&&l`
        <textarea
          class="code growing"
          rows="2"
          aria-label=${`Result of ${s}`}
          placeholder=${'Result, such as { "temperature": 21 }'}
          readonly=${!n}
          value=${i}
          onInput=${c=>t.answerTool(e.id,c.target.value)}
        ></textarea>
      `}
    </div>
  `}function zo(e){return e.trim()===""||de(fe(e).value)}var Vn=5e4;function Qo(e){if(e.length>Vn)return`${e.slice(0,Vn)}\u2026`;try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}}function zn({run:e,turnId:t,columnId:n,...s}){let{isLast:o,isFastest:r,isCheapest:i,isSelected:a,isBusy:c}=s;Fe(e);let[u,d]=$(""),{fold:p,state:f}=e,m=()=>{try{Sn(t,n)}catch(h){d(h.message)}};return l`
    <article class=${`answer ${a?"selected":""}`} aria-label=${`Answer of ${e.request.model}`}>
      <div class="message-head">
        <h3 class="wrap-anywhere">${e.request.model}</h3>
        <${nr} run=${e} />
        ${r&&l`<span class="badge good">fastest</span>`}
        ${i&&l`<span class="badge good">cheapest</span>`}
        <span class="actions">
        ${e.isOpen?l`
            <${E}
              icon="stop"
              class="small danger"
              label="Stop this answer"
              onClick=${()=>e.stop()}
            />
          `:l`
            <${M} text=${()=>p.content} label="Copy the answer" isIcon />
            ${o&&l`
              <${E} icon="retry" class="small" label="Ask again" disabled=${c}
                onClick=${m} />
            `}
            <${E}
              icon="clear"
              class="small"
              label="Remove this answer"
              onClick=${()=>Tn(t,n,e)}
            />
          `}
        </span>
      </div>
      <${sr} run=${e} />
      <div class="answer-body">
        ${p.hasReasoning&&l`<${rr} run=${e} />`}
        ${f==="waiting"&&l`<${or} run=${e} />`}
        <${vt} run=${e} part="content" class="content" />
        <${ir} run=${e} />
        <${Yn} run=${e} turnId=${t} columnId=${n} isLast=${o} />
      </div>
      ${e.error!==null&&l`<${x} error=${e.error} title=${Zo(e)} />`}
      ${u!==""&&l`<p class="fault" role="alert">${u}</p>`}
      <div class="answer-foot">
        <${ar} run=${e} />
        <button
          type="button"
          class="quiet small"
          aria-pressed=${String(a)}
          onClick=${()=>$t(e)}
        ><${R} name="receipt" />Receipt</button>
      </div>
      <p class="only-read" role="status">${lr(e)}</p>
    </article>
  `}function Zo({fold:e}){return e.content===""?"The request failed":"The answer broke off"}var er={streaming:["accent","writing"],stopped:["warn","stopped"],failed:["bad","failed"]},tr=new Map([["length","warn"],["content_filter","bad"],["tool_calls","accent"]]);function nr({run:{state:e,fold:t}}){let[n,s]=er[e]??[tr.get(t.finishReason)??"",t.finishReason];return s?l`<span class=${`badge ${n}`} title="How the answer ended">${s}</span>`:null}function sr({run:e}){let t=fn(e);return t===""?null:l`<p class="answered soft small wrap-anywhere">${t}</p>`}function or({run:e}){let[t,n]=$(performance.now());y(()=>{let o=setInterval(()=>n(performance.now()),100);return()=>clearInterval(o)},[]);let s=Math.max(0,(t-e.startedAt)/1e3).toFixed(1);return l`
    <p class="waiting soft"><span class="loading" aria-hidden="true"></span>Waiting ${s} s</p>
  `}function rr({run:e}){let[t,n]=$(!1),s=e.fold.usage?.completion_tokens_details?.reasoning_tokens;return l`
    <details class="reasoning" onToggle=${o=>n(o.currentTarget.open)}>
      <summary>
        Reasoning${s>0&&l`<span class="faint"> ${C(s)} tokens</span>`}
      </summary>
      ${t&&l`<${vt} run=${e} part="reasoning" />`}
    </details>
  `}function ir({run:e}){let{refusal:t}=e.fold;return t===""||e.isOpen?null:l`
    <div class="refusal"><strong>Refused:</strong> <span class="plain-text">${t}</span></div>
  `}function ar({run:e}){let{first:t,total:n,speed:s}=e.timing,{usage:o}=e.fold,r=o?.prompt_tokens_details?.cached_tokens,i=[t!==null&&["First token",T(t)],n!==null&&["Total",T(n)],s!==null&&["Tokens/s",s>=100?C(s):s.toFixed(1)],o&&["Tokens",`${C(o.prompt_tokens)} in, ${C(o.completion_tokens)} out`+(r>0?`, ${C(r)} cached`:"")],e.cost!==null&&["Cost",B(e.cost)]].filter(Boolean);return l`
    <${L} class="figures" facts=${i} />
  `}function lr({state:e,fold:t,request:{model:n}}){switch(e){case"done":return`${n} has answered${t.toolCalls.length>0?" with tool calls":""}`;case"stopped":return`The answer of ${n} was stopped`;default:return""}}function Zn(e){let t={fastest:-1,cheapest:-1};if(e.some(o=>o.some(({isOpen:r})=>r)))return t;let n=e.map(o=>o.at(-1)?.state==="done");if(n.filter(Boolean).length<2)return t;let s=o=>e.map((r,i)=>n[i]?cr(r.map(o)):1/0);return{fastest:Qn(s(({timing:o})=>o.total)),cheapest:Qn(s(({cost:o})=>o))}}function cr(e){return e.includes(null)?null:e.reduce((t,n)=>t+n,0)}function Qn(e){if(e.includes(null))return-1;let t=Math.min(...e),n=e.indexOf(t);return n===e.lastIndexOf(t)?n:-1}function ns({turn:e,index:t,columns:n,selected:s,isBusy:o}){let r=n.map(({id:i})=>e.runs.get(i)??[]);return xn(r.flat()),l`
    <section class="turn" aria-label=${`Turn ${t+1}`}>
      <${dr} turn=${e} isBusy=${o} />
      ${r.flat().length>0&&l`
        <${ur} ...${{turn:e,columns:n,answers:r,selected:s,isBusy:o}} />
      `}
    </section>
  `}function ur({turn:e,columns:t,answers:n,selected:s,isBusy:o}){let{fastest:r,cheapest:i}=Zn(n),a=Math.max(...n.map(({length:c})=>c));return l`
    <div class="columns answers" style=${{"--columns":t.length,"--rows":a}}>
      ${t.map(({id:c},u)=>l`
          <div class="answer-column" key=${c}>
            ${n[u].map((d,p,f)=>{let m=p===f.length-1;return l`
                <${zn}
                  key=${d.id}
                  run=${d}
                  turnId=${e.id}
                  columnId=${c}
                  isLast=${m}
                  isFastest=${u===r&&m}
                  isCheapest=${u===i&&m}
                  isSelected=${d===s}
                  isBusy=${o}
                />
              `})}
          </div>
        `)}
    </div>
  `}function dr({turn:e,isBusy:t}){let[n,s]=$(null),[o,r]=$(""),{user:i}=e;if(n!==null){let a=()=>{En(e.id,n),s(null)},c=()=>{a(),ts(()=>He(e.id),r)};return l`
      <div class="user-message editing" onKeyDown=${u=>{u.key==="Escape"&&(u.stopPropagation(),s(null)),!(u.key!=="Enter"||!(u.ctrlKey||u.metaKey))&&(u.preventDefault(),t||c())}}>
        <${Xe} message=${n} onChange=${s} label="Edit the message">
          <span class="grow"></span>
          <button type="button" class="quiet" onClick=${()=>s(null)}>Cancel</button>
          <button type="button" onClick=${a}>Save</button>
          <button type="button" class="primary" disabled=${t} onClick=${c}>
            Save and run
          </button>
          <//>
          </div>
    `}return l`
    <div class="user-message">
      <div class="message-head">
        <h3>User</h3>
        <span class="grow"></span>
        <${E}
          icon="retry"
          class="small"
          label="Run from here"
          disabled=${t}
          onClick=${()=>ts(()=>He(e.id),r)}
        />
        <${E}
          icon="edit"
          class="small"
          label="Edit this message"
          onClick=${()=>s(i)}
        />
        <${E}
          icon="clear"
          class="small"
          label="Remove this message and its answers"
          onClick=${()=>On(e.id)}
        />
      </div>
      <${wt} images=${i.images} />
      ${i.text!==""&&l`<${fr} text=${i.text} />`}
      ${o!==""&&l`<p class="fault" role="alert">${o}</p>`}
    </div>
  `}var es=4e3;function fr({text:e}){let[t,n]=$(!1),s=e.length>es&&!t;return l`
    <p class="plain-text">${s?`${e.slice(0,es)}\u2026`:e}</p>
    ${s&&l`
      <button type="button" class="quiet small" onClick=${()=>n(!0)}>
        Show all ${e.length} characters
      </button>
    `}
  `}function ts(e,t){t("");try{e()}catch(n){t(n.message)}}function ss({state:e,isLoading:t}){return e.turns.length===0?l`<div class="conversation">${!t&&l`<${Dn} />`}</div>`:l`<${pr} state=${e} />`}function pr({state:e}){let{columns:t,selected:n,turns:s}=e,o=ye(e),r=I(()=>s.map((u,d)=>l`
          <${ns}
            key=${u.id}
            turn=${u}
            index=${d}
            columns=${t}
            selected=${n}
            isBusy=${o}
          />
        `),[s,t,n,o]),{area:i,content:a,onScroll:c}=hr(s.length);return l`
    <div class="conversation" ref=${i} onScroll=${c}>
      <div ref=${a}>
        <h2 class="only-read">Messages</h2>
        ${r}
        <div class="row conversation-end">
          <button type="button" class="quiet small" aria-keyshortcuts="Alt+Shift+X"
            onClick=${Rn}>
            <${R} name="clear" />Clear the conversation
          </button>
        </div>
      </div>
    </div>
  `}var mr=48;function hr(e){let t=A(null),n=A(null),s=A(!0),o=A(0),r=()=>{s.current&&t.current!==null&&(t.current.scrollTop=t.current.scrollHeight)},i=()=>{if(t.current===null)return;let{clientHeight:a,scrollHeight:c,scrollTop:u}=t.current;c-u-a<mr?s.current=!0:u<o.current&&(s.current=!1),o.current=u};return y(()=>{let a=new ResizeObserver(r);return a.observe(n.current),()=>a.disconnect()},[]),y(()=>{s.current=!0,r()},[e]),{area:t,content:n,onScroll:i}}var $r=["model","messages","stream","stream_options","temperature","top_p","n","max_tokens","max_completion_tokens","stop","seed","frequency_penalty","presence_penalty","logit_bias","logprobs","top_logprobs","reasoning_effort","verbosity","response_format","tools","tool_choice","parallel_tool_calls","service_tier","store","user","metadata","modalities","audio","prediction"],gr=["model","prompt","size","quality","n"],br=["model","input","voice","instructions","speed","response_format"],wr=["model","language","prompt","temperature"],Ye=new Map([["chat",{path:"/chat/completions",call:"chat.completions.create",known:new Set($r),python:{whole:["print(answer.choices[0].message.content)"],stream:["for chunk in answer:","    if chunk.choices and chunk.choices[0].delta.content:",'        print(chunk.choices[0].delta.content, end="", flush=True)']},script:{whole:["console.log(answer.choices[0]?.message.content);"],stream:["for await (const chunk of answer) {",'  process.stdout.write(chunk.choices[0]?.delta.content ?? "");',"}"]}}],["images",{path:"/images/generations",call:"images.generate",known:new Set(gr),python:{imports:["import base64"],whole:["for index, image in enumerate(answer.data):",'    with open(f"image-{index + 1}.png", "wb") as file:',"        file.write(base64.b64decode(image.b64_json))"]},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:["for (const [index, image] of (answer.data ?? []).entries()) {",'  const bytes = Buffer.from(image.b64_json ?? "", "base64");',"  await writeFile(`image-${index + 1}.png`, bytes);","}"]}}],["speech",{path:"/audio/speech",call:"audio.speech.create",known:new Set(br),python:{whole:['answer.write_to_file("speech.audio")']},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:['await writeFile("speech.audio", Buffer.from(await answer.arrayBuffer()));']}}],["transcription",{path:"/audio/transcriptions",call:"audio.transcriptions.create",known:new Set(wr),takesFile:!0,python:{whole:["print(answer.text)"]},script:{imports:['import { createReadStream } from "node:fs";'],whole:["console.log(answer.text);"]}}],["rerank",{path:"/rerank",known:new Set,python:{imports:["import httpx"],whole:["print(answer.json())"]},script:{whole:["console.log(answer);"]}}]]);var Ze=[{id:"curl",title:"curl",write:yr},{id:"python",title:"Python",write:vr},{id:"typescript",title:"TypeScript",write:xr}],os="SLUICE_BODY";function yr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{path:r,takesFile:i}=Ye.get(e),a=[`curl ${ze(t+r)}`,...n.stream===!0?["--no-buffer"]:[],'-H "Authorization: Bearer $SLUICE_API_KEY"',...i?[]:["-H 'Content-Type: application/json'"],...Object.entries(s).map(([c,u])=>`-H ${ze(`${c}: ${u}`)}`),...e==="speech"?["--output speech.audio"]:[]];if(i){let c=Object.entries(n).map(([d,p])=>`--form-string ${ze(`${d}=${p}`)}`),u=`"${o.replaceAll(/["\\]/g,"\\$&")}"`;return`${[...a,...c,`-F ${ze(`file=@${u}`)}`].join(` \\
  `)}
`}return a.push(`--data-binary @- <<'${os}'`),`${a.join(` \\
  `)}
${JSON.stringify(n,null,2)}
${os}
`}function ze(e){return`'${e.replaceAll("'","'\\''")}'`}function rs(e,t){let n=Object.entries(e);return{known:n.filter(([s])=>t.has(s)),others:n.filter(([s])=>!t.has(s))}}function vr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,python:c,takesFile:u}=Ye.get(e),{known:d,others:p}=rs(n,i),f=r===void 0?[`    ${X(a)},`,"    cast_to=httpx.Response,",`    body=${X(n,1)},`]:d.map(([m,h])=>`    ${m}=${X(h,1)},`);return u&&f.unshift(`    file=open(${X(o)}, "rb"),`),r!==void 0&&p.length>0&&f.push(`    extra_body=${X(Object.fromEntries(p),1)},`),Object.keys(s).length>0&&f.push(`    extra_headers=${X(s,1)},`),[...["import os",...c.imports??[]].sort(),"","from openai import OpenAI","",`client = OpenAI(base_url=${X(t)}, api_key=os.environ["SLUICE_API_KEY"])`,`answer = client.${r??"post"}(`,...f,")",...n.stream===!0?c.stream:c.whole,""].join(`
`)}function X(e,t=0){if(e===null)return"None";if(e===!0)return"True";if(e===!1)return"False";if(Array.isArray(e))return Qe("[","]",e.map(n=>X(n,t+1)),t,4);if(typeof e=="object"){let n=Object.entries(e).map(([s,o])=>`${JSON.stringify(s)}: ${X(o,t+1)}`);return Qe("{","}",n,t,4)}return JSON.stringify(e)}function xr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,script:c,takesFile:u}=Ye.get(e),{known:d,others:p}=rs(n,i),f=d.map(([b,g])=>`  ${b}: ${K(g,1)},`);u&&f.unshift(`  file: createReadStream(${K(o)}),`),r===void 0?f.push(`  body: ${K(n,1)},`):p.length>0&&f.push(`  ...(${K(Object.fromEntries(p),1)} as object),`);let m=Object.keys(s).length===0?"":`, { headers: ${K(s)} }`,h=r===void 0?`post(${K(a)}, {`:`${r}({`;return[...c.imports??[],'import OpenAI from "openai";',"","const client = new OpenAI({",`  baseURL: ${K(t)},`,"  apiKey: process.env.SLUICE_API_KEY,","});",`const answer = await client.${h}`,...f,`}${m});`,...n.stream===!0?c.stream:c.whole,""].join(`
`)}var kr=/^[A-Za-z_$][\w$]*$/;function K(e,t=0){if(Array.isArray(e))return Qe("[","]",e.map(n=>K(n,t+1)),t,2);if(typeof e=="object"&&e!==null){let n=Object.entries(e).map(([s,o])=>`${Sr(s)}: ${K(o,t+1)}`);return Qe("{","}",n,t,2)}return JSON.stringify(e)}function Sr(e){return e==="__proto__"?'["__proto__"]':kr.test(e)?e:JSON.stringify(e)}var Cr=60;function Qe(e,t,n,s,o){if(n.length===0)return e+t;let r=n.join(", ");if(r.length<=Cr&&!r.includes(`
`))return e==="{"&&o===2?`{ ${r} }`:e+r+t;let i=" ".repeat(o*(s+1)),a=n.map(c=>`${i}${c},
`);return`${e}
${a.join("")}${" ".repeat(o*s)}${t}`}function xt(e){let t=k().media[e],{body:n,errors:s}=Pe(e,t);if(s.size>0){let[[o,r]]=s;throw new RangeError(`${o}: ${r}`)}return{api:e,body:n,headers:{},file:t.file?.name}}async function is(e){kt(e);let{body:t}=xt(e),{file:n}=k().media[e],{path:s,takesFile:o}=q.get(e),r=new AbortController,i=performance.now(),a=mt(),c={state:"waiting",body:t,requestId:a,answer:null,error:null,headers:null,ms:null,stop:()=>r.abort()},u=d=>{k().media[e].run===c&&(c={...c,...d},W(e,{run:c}))};W(e,{run:c});try{let d=await re(s,{body:o?$n(t,n):t,headers:{"x-request-id":a},signal:r.signal}),p=await(e==="speech"?d.blob():d.json()),f=we(d.headers);u({state:"done",answer:p,headers:f,ms:performance.now()-i})}catch(d){let p=performance.now()-i;r.signal.aborted?u({state:"stopped",ms:p}):u({state:"failed",error:d,headers:we(d.headers??new Headers),ms:p})}}function kt(e){let{run:t}=k().media[e];t?.state==="waiting"&&t.stop()}var as=2e4;function ls({state:e,kind:t,onClose:n}){let s=t==="chat",[o,r]=$(Ze[0].id),[i,a]=$(String(e.columns[0].id)),{text:c,fault:u}=I(()=>{try{let p=s?gt(Number(i)):xt(t),{write:f}=Ze.find(({id:m})=>m===o);return{text:f({...p,baseUrl:`${location.origin}/v1`})}}catch(p){return{text:"",fault:p.message}}},[o,i]),d=c.length>as?`${c.slice(0,as)}
\u2026 (${c.length} characters; Copy takes all)`:c;return l`
    <${H} title="Copy the request" onClose=${n}>
      <div class="stack">
        <div class="row spread">
          <${F}
            label="Language"
            value=${o}
            options=${Ze.map(({id:p,title:f})=>[p,f])}
            onChange=${r}
          />
          ${s&&e.columns.length>1&&l`
            <${F}
              label="Model"
              value=${i}
              options=${e.columns.map(({id:p,model:f},m)=>[String(p),`${m+1}: ${f}`])}
              onChange=${a}
            />
          `}
          <${M} text=${c} class="primary small" />
        </div>
        ${u?l`<p class="fault" role="alert">${u}</p>`:l`
          <pre class="code-box" tabindex="0" aria-label="Code">${d}</pre>
        `}
        <p class="hint">
          The key is read from the environment variable SLUICE_API_KEY. The body is the same that
          this page sends.
        </p>
      </div>
      <//>
  `}function cs({error:e,fold:t,headers:n,isOpen:s,request:o,requestId:r,state:i,timing:a,toolAnswers:c}){let{message:u,status:d,type:p,code:f,param:m,requestId:h}=e??{},{first:b,total:g}=a;return{model:o.model,stream:o.body.stream,requestId:r,headers:n,first:b,total:g,message:{...t.toMessage(),reasoning_content:t.reasoning},finishReason:t.finishReason,usage:t.usage,state:s?"stopped":i,error:e&&{message:u,status:d,type:p,code:f,param:m,requestId:h},toolAnswers:[...c]}}function us(e){let{model:t,stream:n,message:s,finishReason:o,usage:r,first:i,total:a}=e,c=new Q({model:t,body:{stream:n},headers:{}});return c.fold.addCompletion({choices:[{message:s,finish_reason:o}],usage:r}),c.isRestored=!0,c.state=e.state,c.error=e.error&&new Pt(e.error.message,e.error),c.headers=e.headers,c.requestId=e.requestId,c.toolAnswers=new Map(e.toolAnswers),c.startedAt=0,c.firstTextAt=i,c.endedAt=a,c}var St="sluice.playground",_r=400,ps=["kind","system","draft","parameters","tools","stream","streamUsage","panel"],et,ds=[];function ms(){Tr(),yn(()=>{Ar(),hs()}),addEventListener("pagehide",$s)}function tt(){clearTimeout(et);try{sessionStorage.removeItem(St)}catch{}}function Ar(){for(let e of ds)e();ds=se(k()).map(e=>e.onChange(()=>e.isOpen||hs()))}function hs(){clearTimeout(et),et=setTimeout($s,_r)}function $s(){clearTimeout(et);let e=Er(k());!fs(e)&&!fs({...e,...Or(e)})&&tt()}function fs(e){try{return sessionStorage.setItem(St,JSON.stringify(e)),!0}catch{return!1}}function Er(e){return{...Object.fromEntries(ps.map(t=>[t,e[t]])),columns:e.columns,media:Object.entries(e.media).map(([t,{model:n,texts:s}])=>[t,{model:n,texts:s}]),turns:e.turns.map(({user:t,runs:n})=>({user:t,runs:[...n].map(([s,o])=>[s,o.map(cs)])}))}}function Or({draft:e,turns:t}){return{draft:{...e,images:[]},turns:t.map(n=>({...n,user:{...n.user,images:[]}}))}}function Tr(){try{let e=JSON.parse(sessionStorage.getItem(St)??"null");e!==null&&w(Rr(e))}catch{tt()}}function Rr(e){let t=new Map(e.columns.map(({id:r})=>[r,ne()])),n=e.turns.map(({user:r,runs:i})=>({id:ne(),user:r,runs:new Map(i.filter(([a])=>t.has(a)).map(([a,c])=>[t.get(a),c.map(us)]))})),[s]=t.values(),o={...k().media};for(let[r,i]of e.media??[])r in o&&(o[r]={...o[r],...i});return{...Object.fromEntries(ps.filter(r=>r in e).map(r=>[r,e[r]])),media:o,columns:e.columns.map(r=>({...r,id:t.get(r.id)})),turns:n,selected:n.at(-1)?.runs.get(s)?.at(-1)??null}}var gs=100;function bs({label:e,value:t,options:n,onChange:s,render:o,placeholder:r,children:i}){let a=Oe("options"),c=A(null),[u,d]=$(!1),[p,f]=$(null),[m,h]=$(-1),{shown:b,total:g}=Mr(n,p),S=b[m]!==void 0;y(()=>{u&&S&&document.getElementById(`${a}-${m}`)?.scrollIntoView({block:"nearest"})},[u,m]);let G=()=>{d(!0),h(b.findIndex(({id:v})=>v===t))},j=()=>{d(!1),f(null),h(-1)},D=v=>{s(v),j()},oe=()=>{p!==null&&p.trim()!==""&&s(p.trim()),j()},_e=v=>{switch(v.key){case"ArrowDown":case"ArrowUp":{if(v.preventDefault(),!u)return G();let Ae=v.key==="ArrowDown"?1:-1;return h(b.length===0?-1:(m+Ae+b.length)%b.length)}case"Enter":return!u||v.ctrlKey||v.metaKey?void 0:(v.preventDefault(),S?D(b[m].id):oe());case"Escape":u&&(v.stopPropagation(),j());return;default:return}};return l`
    <div class="combobox">
      <input
        ref=${c}
        role="combobox"
        aria-label=${e}
        aria-expanded=${String(u)}
        aria-controls=${a}
        aria-autocomplete="list"
        aria-activedescendant=${u&&S?`${a}-${m}`:void 0}
        autocomplete="off"
        spellcheck=${!1}
        placeholder=${r}
        value=${p??t}
        onInput=${v=>{f(v.target.value),d(!0),h(v.target.value===""?-1:0)}}
        onClick=${()=>!u&&G()}
        onFocus=${v=>v.target.select()}
        onBlur=${oe}
        onKeyDown=${_e}
      />
      ${i}
      <${R} name="down" />
      <ul
        id=${a}
        role="listbox"
        aria-label=${e}
        hidden=${!u}
        onMouseDown=${v=>v.preventDefault()}
      >
        ${u&&b.map((v,Ae)=>l`
            <li
              key=${v.id}
              id=${`${a}-${Ae}`}
              role="option"
              aria-selected=${String(Ae===m)}
              class=${v.id===t?"chosen":""}
              onClick=${()=>D(v.id)}
            >
              <span class="wrap-anywhere">${v.id}</span>${o(v)}
            </li>
          `)}
        ${u&&g>b.length&&l`
          <li role="presentation" class="hint">${g-b.length} more: type to search</li>
        `}
        ${u&&g===0&&l`
          <li role="presentation" class="hint">Not in the list. Enter takes it as it is.</li>
        `}
      </ul>
    </div>
  `}function Mr(e,t){if(t===null||t.trim()==="")return{shown:e.slice(0,gs),total:e.length};let n=t.trim().toLowerCase(),s=n.split(/\s+/),o=e.filter(({id:i,text:a=""})=>{let c=`${i} ${a}`.toLowerCase();return s.every(u=>c.includes(u))}),r=({id:i})=>i.toLowerCase().startsWith(n)?0:1;return o.sort((i,a)=>r(i)-r(a)),{shown:o.slice(0,gs),total:o.length}}function ws(){let[e,t]=$({models:[],error:null,isLoading:!0}),[n,s]=$(0);return y(()=>{let o=new AbortController;return _("/v1/models",{signal:o.signal}).then(({data:r})=>t({models:r,error:null,isLoading:!1}),r=>!o.signal.aborted&&t({models:[],error:r,isLoading:!1})),()=>o.abort()},[n]),{...e,reload:()=>s(n+1)}}function ys(e,t){let[n,s]=$({id:"",model:void 0}),o=t.find(i=>i.id===e),r=o===void 0&&e!==""&&t.length>0;return y(()=>{if(!r)return;let i=new AbortController;return _(`/v1/models/${encodeURIComponent(e)}`,{signal:i.signal}).then(a=>s({id:e,model:a}),()=>!i.signal.aborted&&s({id:e,model:null})),()=>i.abort()},[e,r]),o??(n.id===e?n.model:void 0)}function xs({state:e,notes:t}){let{system:n,parameters:s,stream:o,streamUsage:r,tools:i}=e,{errors:a}=Ne(s),c=f=>(s[f]??"").trim()!=="",u=Object.keys(s).filter(c).length+(i.trim()===""?0:1),d=$e.filter(({name:f})=>c(f)).length,p=f=>l`
      <${xe}
        key=${f.name}
        parameter=${f}
        text=${s[f.name]??""}
        error=${a.get(f.name)}
        onChange=${m=>w({parameters:{...s,[f.name]:m}})}
      />
    `;return l`
    <div class="settings">
      <div class="field">
        <label for="system">System message</label>
        <textarea
          id="system"
          class="growing"
          rows="3"
          placeholder="None is sent"
          value=${n}
          onInput=${f=>w({system:f.target.value})}
        ></textarea>
      </div>
      ${lt.map(f=>p(f.name==="tool_choice"?Ir(f,i):f))}
      <${Nr} text=${i} />
      <details class="more">
        <summary>More${d>0?`: ${d} set`:`: ${$e.length}`}
          <span> parameters</span></summary>
        <div class="stack">
          <${vs} label="Stream the answer" value=${o} onChange=${f=>w({stream:f})} />
          <${vs} label="Usage and cost in the stream" value=${r} isOff=${!o}
            onChange=${f=>w({streamUsage:f})} />
          ${$e.map(p)}
        </div>
      </details>
      <div class="row spread">
        <p class="hint">Empty fields are not sent.</p>
        <button type="button" class="quiet small" disabled=${u===0} onClick=${()=>w({parameters:{},tools:""})}>
          Clear${u>0?` ${u}`:""}
        </button>
      </div>
      ${t.map(f=>l`<p class="hint wrap-anywhere" key=${f}>${f}</p>`)}
    </div>
  `}function Ir(e,t){let n=(te(t).value??[]).map(s=>s.function?.name);return{...e,options:[...e.options,...n.filter(Boolean)]}}function vs({label:e,value:t,isOff:n=!1,onChange:s}){return l`
    <label class="check">
      <input type="checkbox" checked=${t} disabled=${n} onChange=${o=>s(o.target.checked)} />
      ${e}
    </label>
  `}function Nr({text:e}){let{error:t,value:n=[]}=te(e),s=n.map(r=>r.function?.name??r.custom?.name??r.type),o=r=>w({tools:r});return l`
    <div class="field">
      <div class="row spread">
        <label class="mono" for="tools">tools</label>
        <button type="button" class="quiet small" onClick=${()=>o(e===""?le:"")}>${e===""?"Example":"Clear"}</button>
      </div>
      <textarea
        id="tools"
        class="code growing"
        rows="2"
        spellcheck=${!1}
        placeholder="A JSON list of tools"
        aria-invalid=${String(t!==void 0)}
        aria-describedby="tools-note"
        value=${e}
        onInput=${r=>o(r.target.value)}
      ></textarea>
      <p id="tools-note" class=${t===void 0?"hint":"fault"}>
        ${t??s.join(", ")}
      </p>
    </div>
  `}function xe({parameter:e,text:t,error:n,onChange:s}){let o=Oe("parameter"),{name:r,label:i=r,kind:a}=e,c=a==="json"||a==="lines"||a==="long",u=n??(t===""||c?e.hint:void 0),d={id:o,parameter:e,text:t,onChange:s,isInvalid:n!==void 0};return l`
    <div class=${`parameter ${c?"wide":""} ${t===""?"":"touched"}`}>
      <label class="mono" for=${o}>${i}</label>
      <${jr} ...${d} />
      ${e.slider!==void 0&&l`<${Lr} ...${d} />`}
      ${a==="format"&&be(t)==="json_schema"&&l`
        <textarea
          class="code growing"
          rows="3"
          spellcheck=${!1}
          aria-label=${`${r} as JSON`}
          aria-invalid=${String(n!==void 0)}
          value=${t}
          onInput=${p=>s(p.target.value)}
        ></textarea>
      `}
      <p id=${`${o}-hint`} class=${n===void 0?"hint":"fault"} hidden=${!u}>${u}</p>
    </div>
  `}function Lr({parameter:{name:e,min:t,slider:n,step:s=1},text:o,onChange:r}){return l`
    <input
      type="range"
      aria-label=${`${e}, slider`}
      min=${t}
      max=${n}
      step=${s}
      value=${o.trim()===""?n/2:o}
      onInput=${i=>r(i.target.value)}
    />
  `}function jr({id:e,parameter:t,text:n,isInvalid:s,onChange:o}){let{kind:r}=t,i={id:e,value:n,"aria-invalid":String(s),"aria-describedby":`${e}-hint`,onInput:a=>o(a.target.value)};switch(r){case"boolean":return l`<${Ct} ...${i} options=${["true","false"]} />`;case"choice":return l`<${Ct} ...${i} options=${t.options} />`;case"format":return l`
        <${Ct}
          ...${i}
          value=${be(n)}
          options=${[...z.keys()]}
          onInput=${a=>o(z.get(a.target.value)??"")}
        />
      `;case"json":case"lines":case"long":return l`
        <textarea
          ...${i}
          class=${r==="json"?"code growing":"growing"}
          rows=${r==="long"?3:1}
          spellcheck=${r==="long"}
          placeholder=${t.placeholder??"not sent"}
        ></textarea>
      `;case"number":case"integer":return l`
        <input
          ...${i}
          inputmode=${r==="integer"?"numeric":"decimal"}
          autocomplete="off"
          title=${`Must be ${ut(t)}`}
          placeholder=${Pr(t)}
          onKeyDown=${a=>qr(a,t,n,o)}
        />
      `;default:return l`
        <input ...${i} autocomplete="off" spellcheck=${!1} placeholder="not sent" />
      `}}function Ct({options:e,value:t,...n}){let s=t===""||e.includes(t)?e:[...e,t];return l`
    <select ...${n} value=${t}>
      <option value="">not sent</option>
      ${s.map(o=>l`<option key=${o} value=${o}>${o}</option>`)}
    </select>
  `}function Pr({min:e,max:t}){return e!==void 0&&t!==void 0&&t<1e3?`${e} \u2013 ${t}`:e===void 0?"not sent":`\u2265 ${e}`}function qr(e,{kind:t,min:n,max:s,step:o=1},r,i){if(e.key!=="ArrowUp"&&e.key!=="ArrowDown")return;e.preventDefault();let a=r.trim()===""?t==="number"?1:n??0:Number(r);if(!Number.isFinite(a))return;let c=r.trim()===""?a:a+(e.key==="ArrowUp"?o:-o),u=Math.min(s??1/0,Math.max(n??-1/0,c));i(String(Math.round(u*1e3)/1e3))}function ks({id:e,onClose:t}){let{columns:n,system:s}=De(),o=n.findIndex(d=>d.id===e);if(o===-1)return null;let{model:r,own:i={}}=n[o],a=d=>{let p={...i,...d};for(let f of Object.keys(p))p[f]===void 0&&delete p[f];w({columns:n.with(o,{...n[o],own:p})})},c=()=>{let{own:d,...p}=n[o];w({columns:n.with(o,p)})},u=i.parameters??{};return l`
    <${H} title=${`Settings of model ${o+1}`} onClose=${t}>
      <div class="stack">
        <p class="hint wrap-anywhere">They replace those of the page for ${r}. Empty ones do not.</p>
        ${nn.map(d=>{let p=u[d]??"",{error:f}=ge(ct(d),p);return l`
            <${xe}
              key=${d}
              parameter=${ct(d)}
              text=${p}
              error=${f}
              onChange=${m=>a({parameters:{...u,[d]:m}})}
            />
          `})}
        <label class="check">
          <input
            type="checkbox"
            checked=${i.tools!==!1}
            onChange=${d=>a({tools:d.target.checked?void 0:!1})}
          />
          With the tools of the page
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked=${i.system!==void 0}
            onChange=${d=>a({system:d.target.checked?s:void 0})}
          />
          Another system message
        </label>
        ${i.system!==void 0&&l`
          <textarea
            class="growing"
            rows="3"
            aria-label="System message of this model"
            placeholder="None is sent"
            value=${i.system}
            onInput=${d=>a({system:d.target.value})}
          ></textarea>
        `}
        <div class="row">
          <button type="button" class="quiet" onClick=${c}>As the page</button>
          <span class="grow"></span>
          <button type="button" class="primary" onClick=${t}>Done</button>
        </div>
      </div>
      <//>
  `}function Ss({columns:e,models:t}){let n=(i,a)=>w({columns:e.map(c=>c.id===i?{...c,model:a}:c)}),[s,o]=$(null),r=i=>w({columns:e.filter(a=>a.id!==i)});return l`
    <div class="columns model-row" style=${{"--columns":e.length}}>
      ${e.map((i,a)=>{let{id:c,model:u}=i,d=sn(i);return l`
          <div class="model-column" key=${c}>
            <${_t}
              label=${e.length===1?"Model":`Model ${a+1}`}
              id=${u}
              models=${t}
              onChange=${p=>n(c,p)}
            />
            ${d.length>0&&l`
              <span class="badge own" title=${d.join(", ")}>${d.join(", ")}</span>
            `}
            ${(e.length>1||d.length>0)&&l`
              <${E}
                icon="settings"
                class="small"
                label=${`Settings of model ${a+1}${d.length>0?`: ${d.join(", ")}`:""}`}
                onClick=${()=>o(c)}
              />
            `}
            ${e.length>1&&l`
              <${E}
                icon="close"
                class="small"
                label=${`Remove model ${a+1}`}
                onClick=${()=>r(c)}
              />
            `}
          </div>
        `})}
      ${e.some(({id:i})=>i===s)&&l`
        <${ks} id=${s} onClose=${()=>o(null)} />
      `}
    </div>
  `}function _t({label:e,id:t,models:n,onChange:s}){let o=ys(t,n),r=o===null?["unknown model"]:o===void 0?[]:[Me(o)==="alias"&&`alias of ${o.root}`,Ie(o),o.context_window&&V(o.context_window)].filter(Boolean);return l`
    <div class="model-chip" title=${o?Dr(o):void 0}>
      <${bs}
        label=${e}
        value=${t}
        options=${n}
        placeholder="Choose a model"
        onChange=${s}
        render=${i=>l`
            <span class="option-facts">
              ${Me(i)!=="model"&&l`
                <span class="badge">${Me(i)}</span>
              `}
              ${[i.owned_by,...he(i).slice(0,1),Ie(i)].filter(Boolean).join(" \xB7 ")}
            </span>
          `}
      >
        <span class="chip-facts">${r.join("; ")}</span>
        <//>
        </div>
  `}function Dr(e){let t=Ie(e);return[`${e.id} by ${e.owned_by}`,t&&`${t} (tokens by the million)`,...he(e),ae(e).join(", ")].filter(Boolean).join(". ")}function Cs({kind:e,entry:t,models:n}){let{fields:s,takesFile:o,verb:r}=q.get(e),{model:i,texts:a,run:c}=t,[u,d]=$(!1),{errors:p}=Pe(e,t),f=c?.state==="waiting",m=n[0]?.id;y(()=>{i===""&&m!==void 0&&W(e,{model:m})},[i,m]);let h=g=>{g.preventDefault(),d(!0),p.size===0&&is(e)},b=g=>u||(a[g]??"")!=="";return l`
    <section class="media" aria-label=${q.get(e).title}>
      <div class="model-row model-column">
        <${_t} label="Model" id=${i} models=${n} onChange=${g=>W(e,{model:g})} />
      </div>
      <form class="media-form" onSubmit=${h}>
        ${o&&l`
          <${Fr} kind=${e} entry=${t}
            error=${u?p.get("file"):void 0} />
        `}
        ${s.map(g=>l`
            <${xe}
              key=${g.name}
              parameter=${g}
              text=${a[g.name]??""}
              error=${b(g.name)?p.get(g.name):void 0}
              onChange=${S=>W(e,{texts:{...a,[g.name]:S}})}
            />
          `)}
        <div class="row end">
          ${f?l`<button type="button" class="danger" onClick=${()=>kt(e)}>Stop</button>`:l`<button class="primary">${r}</button>`}
        </div>
      </form>
      <div class="media-answer" aria-live="polite">
        ${f&&l`<${O} text="Waiting for the answer" />`}
        ${c?.state==="stopped"&&l`<p class="hint">Stopped.</p>`}
        ${c?.error&&l`<${x} error=${c.error} title="The request failed" />`}
        ${c?.state==="done"&&l`<${Br} kind=${e} run=${c} />`}
        ${c&&!f&&l`<${Jr} run=${c} />`}
      </div>
    </section>
  `}function Fr({kind:e,entry:{file:t},error:n}){return l`
    <div class="field">
      <label for="media-file">file</label>
      <input id="media-file" type="file" accept="audio/*,video/mp4,video/webm" onChange=${s=>W(e,{file:s.target.files[0]??null})} />
      <p class=${n===void 0?"hint":"fault"}>
        ${n??(t===null?"Audio, such as MP3 or WAV":`${t.name}, ${J(t.size)}`)}
      </p>
    </div>
  `}function Br({kind:e,run:{answer:t,body:n}}){switch(e){case"images":return l`<${Ur} images=${bn(t)} prompt=${n.prompt} />`;case"speech":return l`<${Wr} audio=${t} />`;case"transcription":return l`
        <p class="plain-text">${t.text}</p>
        <p>
          <${M} text=${t.text??""} />
        </p>
      `;default:return l`<${Hr} rows=${gn(t,n.documents)} />`}}function Ur({images:e,prompt:t}){return l`
    <ul class="media-images">
      ${e.map(({url:n,isData:s,prompt:o},r)=>l`
          <li key=${r}>
            ${s?l`
                <img src=${n} alt=${t} />
                <p><a href=${n} download=${`image-${r+1}`}>Download</a></p>
              `:l`<p class="mono wrap-anywhere">${n}</p>`}
            ${o&&l`<p class="hint">${o}</p>`}
          </li>
        `)}
    </ul>
  `}function Wr({audio:e}){let t=A(null),[n,s]=$({seconds:null,fault:"",isPlaying:!1}),[o,r]=$("");y(()=>{let d=new AudioContext,p=!1,f=URL.createObjectURL(e);return r(f),e.arrayBuffer().then(m=>d.decodeAudioData(m)).then(m=>{p||(t.current={context:d,sound:m,source:null},s({seconds:m.duration,fault:"",isPlaying:!1}))},()=>p||s({seconds:null,fault:"This browser cannot play it"})),()=>{p=!0,URL.revokeObjectURL(f),d.close()}},[e]);let i=()=>{let{context:d,sound:p,source:f}=t.current;if(n.isPlaying)return f.stop();let m=new AudioBufferSourceNode(d,{buffer:p});return m.connect(d.destination),m.onended=()=>s(h=>({...h,isPlaying:!1})),t.current.source=m,d.resume(),m.start(),s({...n,isPlaying:!0})},{fault:a,isPlaying:c,seconds:u}=n;return l`
    <div class="row">
      <button type="button" disabled=${u===null} onClick=${i}>
        ${c?"Stop playing":"Play"}
      </button>
      <a class="button" href=${o} download="speech">Download</a>
      <span class="hint">${[u!==null&&T(1e3*u),e.type,J(e.size)].filter(Boolean).join(", ")}</span>
    </div>
    ${a!==""&&l`<p class="hint">${a}</p>`}
  `}function Hr({rows:e}){return l`
    <table class="media-ranking">
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col">Document</th>
        </tr>
      </thead>
      <tbody>
        ${e.map(({index:t,score:n,text:s})=>l`
            <tr key=${t}>
              <td class="number">${n.toFixed(3)}</td>
              <td class="wrap-anywhere">${s}</td>
            </tr>
          `)}
      </tbody>
    </table>
  `}function Jr({run:{headers:e,ms:t,requestId:n}}){let s=e?.provider&&`${e.provider} / ${e.model??""}`,o=[s&&["Answered by",s],t!==null&&["Total",T(t)],e?.cost!=null&&["Cost",B(e.cost)],e?.ignored.length>0&&["Ignored",e.ignored.join(", ")]].filter(Boolean);return l`
    <div class="answer-foot">
      <${L} class="figures" facts=${o} />
      <a href=${`#/requests/${encodeURIComponent(n)}`}>Request</a>
    </div>
  `}function Es({run:e}){Fe(e),y(()=>void e.explain(),[e]);let{explanation:t,explanationError:n,isRestored:s}=e,o=t?.targets??[],r=t===null?0:dn(t,e.target),[i,a]=$(null),c=Math.min(i??r,Math.max(0,o.length-1)),u=o[c],d=t===null&&n===null&&!s;return l`
    <${Xr} run=${e} estimate=${u?.estimate} />
    ${o.length>1&&l`
      <section aria-label="Targets">
        <h3>Targets in order</h3>
        <${Kr} ...${{targets:o,index:c,onChoose:a}} />
      </section>
    `}
    <section aria-label="Parameters">
      <h3>Parameters</h3>
      <${Gr} target=${u} run=${e} isReal=${c===r} />
    </section>
    <section aria-label="Request to the vendor">
      <h3>Request to the vendor</h3>
      ${d&&l`<${O} />`}
      ${s&&l`
        <p class="hint">
          Bodies are not kept when the page is loaded again. "Ask again" shows them.
        </p>
      `}
      ${u?.request&&l`<${Vr} request=${u.request} />`}
      ${u?.error&&l`<${x} error=${u.error} title="Nothing is sent" />`}
      ${n!==null&&l`
        <${x} error=${n} title="Nothing is sent" />
      `}
    </section>
  `}function Xr({run:e,estimate:t}){let{headers:n,record:s,request:o,requestId:r,state:i}=e,a=e.target&&`${e.target.provider} / ${e.target.model}`,c=i==="preview",u=[["Requested",o.model],[i==="failed"?"Target":"Answered by",a],["Attempts",e.attempts],["Overhead",At(n?.overheadMs,T)],["Cost",At(e.cost,B)],c?["Tokens in",t?.input_tokens]:["",""],c?["Cost at most",At(t?.max_cost_usd,B)]:["",""],["Tags",s?.tags?.length>0?s.tags.join(", "):null],["Vendor's ID",n?.upstreamRequestId],c?["",""]:["Request",l`<a class="mono" href=${`#/requests/${encodeURIComponent(r)}`}>${r}</a>`]].filter(([,d])=>d!=null&&d!=="");return l`
    <section aria-label="Route">
      <div class="row spread">
        <h3>${c?"Preview":"Route"}</h3>
        ${c&&l`<span class="badge">nothing was sent</span>`}
      </div>
      <${L} class="facts-list" facts=${u} />
    </section>
  `}function At(e,t){return e==null?null:t(e)}function Kr({targets:e,index:t,onChoose:n}){return l`
    <ol class="targets">
      ${e.map(({provider:s,model:o,after:r,weight:i,error:a},c)=>l`
          <li key=${c}>
            <button type="button" aria-pressed=${String(c===t)} onClick=${()=>n(c)}>
              <span class="wrap-anywhere">${s} / ${o}</span>
              ${a&&l`<span class="badge bad">cannot answer</span>`}
              ${i!==void 0&&l`<span class="badge">weight ${i}</span>`}
              ${r&&l`<span class="faint small">after ${r.join(", ").replaceAll("_"," ")}</span>`}
            </button>
          </li>
        `)}
    </ol>
  `}function Gr({target:e,run:t,isReal:n}){let s=t.headers===null?[]:pt(t.headers),o=cn(e?.receipt??[],n?t.headers:null),r=un(e===void 0?s:o),i=r.filter(({fate:c})=>c!=="as is"),a=r.filter(({fate:c})=>c==="as is");return r.length===0?l`<p class="hint">${e?.error?"None was converted.":"The request has none."}</p>`:l`
    ${i.length>0&&l`<${_s} rows=${i} />`}
    ${a.length>0&&l`
      <details class="same">
        <summary>
          ${a.length} sent as ${a.length===1?"it is":"they are"}
        </summary>
        <${_s} rows=${a} />
      </details>
    `}
  `}function _s({rows:e}){return l`
    <ul class="receipt-rows">
      ${e.map(({parameter:t,fate:n,to:s,change:o,rule:r,from:i},a)=>l`
          <li key=${a}>
            <div class="row">
              <strong class="mono wrap-anywhere">${t}</strong>
              <span class="badge">${n}</span>
              ${i==="config"&&l`<span class="badge">from config.yaml</span>`}
            </div>
            ${s&&l`<p class="mono small wrap-anywhere">→ ${s}</p>`}
            ${o&&l`<p class="mono small wrap-anywhere">${o.replace("->"," \u2192 ")}</p>`}
            ${r&&l`<p class="small soft">${r}</p>`}
          </li>
        `)}
    </ul>
  `}var As=3e4;function Vr({request:{method:e,url:t,headers:n,body:s}}){let o=pn(s);return l`
    <div class="vendor-request">
      <p class="mono wrap-anywhere"><strong>${e}</strong> ${t}</p>
      <dl class="header-list">
        ${Object.entries(n).map(([r,i])=>l`
            <div key=${r}>
              <dt>${r}:</dt>
              <dd class="wrap-anywhere">${i}</dd>
            </div>
          `)}
      </dl>
      <div class="code-frame">
        <pre class="code-box" tabindex="0" aria-label="Body">${o.length>As?`${o.slice(0,As)}
\u2026`:o}</pre>
        <${M} text=${()=>JSON.stringify(s,null,2)} />
      </div>
    </div>
  `}jt(()=>{Lt()||(vn(),tt())});ms();function Os({route:e}){return Nt()===""?l`
      <p class="notice">The playground needs a service key.</p>
      <${Wt} />
    `:l`<${Qr} named=${e.query.get("model")} />`}var Yr=[["chat","Messages"],["settings","Parameters"],["receipt","Receipt"]],zr=[["chat","Chat"],...[...q].map(([e,{title:t}])=>[e,t])];function Qr({named:e}){let t=De(),{models:n,error:s,isLoading:o,reload:r}=ws();Ut(s??void 0,r);let i=I(()=>Map.groupBy(n,at),[n]),a=I(()=>i.get("chat")??[],[i]),[c,u]=$("");y(()=>{!e||n.length===0||(history.replaceState(null,"","#/playground"),u(si(e,n)?"":e))},[e,n]),y(()=>oi(a),[a]);let d=zr.filter(([f])=>i.has(f)||f==="chat"&&n.length===0),p=d.some(([f])=>f===t.kind)?t.kind:d[0]?.[0]??"chat";return l`
    <div class="playground" data-panel=${t.panel} data-kind=${p}>
      <${Zr} ...${{kind:p,kinds:d,models:a,state:t,error:s,reload:r}} />
      ${c!==""&&l`
        <p class="notice" role="status">
          There is nothing to try with ${c}: it is for embeddings or moderation.
        </p>
      `}
      ${p==="chat"?l`<${ei} ...${{state:t,models:a,isLoading:o}} />`:l`
        <${Cs} key=${p} kind=${p} entry=${t.media[p]}
          models=${i.get(p)} />
      `}
    </div>
  `}function Zr({kind:e,kinds:t,models:n,state:s,error:o,reload:r}){let{columns:i,panel:a}=s,[c,u]=$(!1);return l`
    <header class="playground-head">
      <h1>Playground</h1>
      ${t.length>1&&l`
        <${F} label="Kind" value=${e} options=${t} onChange=${d=>w({kind:d})} />
      `}
      <span class="grow"></span>
      ${e==="chat"&&l`
        <button
          type="button"
          aria-keyshortcuts="Alt+Shift+C"
          title="Compare with another model"
          disabled=${i.length>=qe}
          onClick=${()=>An(n)}
        >Compare</button>
      `}
      <button type="button" aria-keyshortcuts="Alt+Shift+Y" onClick=${()=>u(!0)}>
        Copy as
      </button>
      ${e==="chat"&&l`
        <${F} label="Panel" value=${a} options=${Yr} onChange=${d=>w({panel:d})} />
      `}
      ${o&&l`
        <div class="stack">
          <${x} error=${o} title="Cannot load the models" />
          <p><button type="button" onClick=${r}>Try again</button></p>
        </div>
      `}
      ${c&&l`
        <${ls} state=${s} kind=${e} onClose=${()=>u(!1)} />
      `}
    </header>
  `}function ei({state:e,models:t,isLoading:n}){let{columns:s,panel:o,parameters:r,selected:i,stream:a,streamUsage:c,system:u,tools:d}=e,p=ti(e).join(`
`),f=I(()=>l`<${xs} state=${e} notes=${p.split(`
`).filter(Boolean)} />`,[r,a,c,u,d,p]),m=I(()=>l`<${Ss} columns=${s} models=${t} />`,[s,t]),h=I(()=>l`<${ni} run=${i} />`,[i]);return l`
    <section class="chat-panel" aria-label="Conversation">
      ${m}
      <${ss} state=${e} isLoading=${n} />
      <${qn} state=${e} />
    </section>
    <aside class="side-panel" aria-label=${o==="receipt"?"Receipt":"Parameters"}>
      ${o==="receipt"?h:f}
    </aside>
  `}function ti({columns:e,turns:t}){let n=e.flatMap(({id:s,model:o})=>{let r=t.at(-1)?.runs.get(s)?.at(-1)?.headers?.ignored??[];return r.length===0?[]:[`${o} ignores ${r.join(", ")}.`]});return e.length>1&&n.push("A new column begins with the history of the first one."),n}function ni({run:e}){return e===null?l`
      <div class="empty">
        <p>The receipt of an answer: what was ignored, converted and added, by which rule, and the
          request to the vendor.</p>
        <p class="hint"><kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd> shows it without sending.</p>
      </div>
    `:l`
    <div class="receipt">
      <${Es} key=${e.id} run=${e} />
    </div>
  `}function si(e,t){let n=t.find(({id:i})=>i===e||e.startsWith(`${i}@`)),s=n===void 0?"chat":at(n);if(q.has(s))return w({kind:s}),W(s,{model:e}),!0;if(s!=="chat")return!1;let[o,...r]=k().columns;return w({kind:"chat",columns:[{...o,model:e},...r]}),!0}function oi(e){let{columns:t}=k(),[n]=e;n===void 0||t.some(({model:s})=>s!=="")||w({columns:t.map(s=>({...s,model:n.id}))})}var Hs={};Ee(Hs,{default:()=>Ws});var nt=new Map([["model","Model"],["alias","Alias"],["pinned","Pinned"],["pattern","Pattern"]]);function Ms({data:e,targets:t},n){let s=new Map(t.map(i=>[Et(i),i])),o=new Map((n?.models??[]).map(i=>[Et(i),i])),r=i=>{let a=Et(i),c={...ri,...o.get(a)};return{...s.get(a),...i,state:c,health:Vt(c)}};return e.map(i=>{let a=(i.steps??[]).map(u=>({...u,targets:u.targets.map(r)})),c=a.flatMap(u=>u.targets);return{...i,steps:a,all:c,...ii(c),health:li(c)}})}var ri={breaker:"closed",attempts:0,failed_attempts:0,last_failure:null,p50_ms:null,health:null};function Et({provider:e,upstream:t}){return JSON.stringify([e,t])}function ii(e){let t=e.filter(({attempts:r})=>r>0),n=t.reduce((r,i)=>r+i.attempts,0),s=t.reduce((r,i)=>r+i.failed_attempts,0),o=t.toSorted((r,i)=>i.attempts-r.attempts)[0];return{attempts:n,failed:s,uptime:n===0?null:1-s/n,p50:o?.p50_ms??null,p95:o?.p95_ms??null}}var ai=["ok","unused","slow","silent","limited","degraded","failing"];function li(e){return ai.find(t=>e.some(n=>n.health===t))??"unused"}function Is(e,t,n){let s=t.toLowerCase().split(/\s+/).filter(o=>o!=="");return e.filter(o=>{if(n!=="all"&&o.form!==n)return!1;if(s.length===0)return!0;let r=o.all.map(({kind:a,provider:c,upstream:u})=>`${c} ${a} ${u}`),i=[o.id,o.display_name??"",...r].join(" ").toLowerCase();return s.every(a=>i.includes(a))})}function Ns({weight:e},{balance:t,targets:n}){if(t!=="weighted"||n.length<2)return;let s=n.reduce((o,r)=>o+(r.weight??1),0);return s===0?void 0:`${Math.round(100*(e??1)/s)} %`}var Ls=new Map([["in_order","the first"],["weighted","by weight"],["p2c","the less loaded of two"],["ttft","the fastest first token"],["throughput","the fastest output"],["price","the cheapest"]]),Rs=["rate_limited","quota","auth","not_found","unavailable","timeout"];function js({when:e}){return e.length===Rs.length&&Rs.every(n=>e.includes(n))?"if it fails":e.length===0?"never":`after ${e.join(", ").replaceAll("_"," ")}`}function Ps(e,t){if(e===void 0)return;let{read_at:n}=e,s=Math.max(0,Math.round((t/1e3-(n??0))/60));return`listed by the vendor${n===void 0?"":`, read ${s} min ago`}${e.stale?", stale":""}`}var ke=[...Re.keys()];function ee(e,t,n,s,o={}){return{id:e,title:t,of:n,text:s,isNumber:!0,...o}}var ci=[{id:"name",title:"Model",of:({id:e})=>e,isRisingFirst:!0},{id:"form",title:"Form",of:({form:e})=>e==="model"?void 0:nt.get(e)},{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({all:e,health:t})=>ke.indexOf(Ds(e)??t),cell:e=>l`<${di} entry=${e} />`},{id:"targets",title:"Tried in this order",isProse:!0,card:"c",of:Ot,cell:e=>l`<span title=${Ot(e)}>${Ot(e)}</span>`},ee("input_price","In",({prices:e})=>e?.input,P,{hint:"US dollars per million input tokens"}),ee("output_price","Out",({prices:e})=>e?.output,P,{hint:"US dollars per million output tokens"}),ee("context","Context",e=>e.context_window,V),ee("output","Output",e=>e.max_output_tokens,V),{id:"capabilities",title:"Can",class:"soft",of:e=>ae(e).join(", ")},ee("p50","p50",e=>e.p50,T),ee("p95","p95",e=>e.p95,T),ee("uptime","Uptime",e=>e.uptime,e=>pe(e,1)),ee("attempts","Attempts",e=>e.attempts,C,{card:"d",mark:"attempts",hint:"Attempts in 24 hours"})];function qs({entries:e,opened:t}){return e.length===0?l`<p class="card empty">No name fits.</p>`:l`
    <${Gt}
      label="Models, aliases and pinned names"
      columns=${ci}
      rows=${e}
      idOf=${({id:n})=>n}
      hrefOf=${({id:n})=>`#/models/${encodeURIComponent(n)}`}
      actionsOf=${ui}
      order=${{id:"attempts",isRising:!1}}
      current=${t}
      onClose=${t===void 0?void 0:()=>location.hash="#/models"}
    />
  `}function ui({form:e,id:t}){let n=e!=="pattern";return[...n?[{text:"Try",href:`#/playground?model=${encodeURIComponent(t)}`}]:[],{text:"Targets and facts",href:`#/models/${encodeURIComponent(t)}`},{text:"Its requests",href:Kt({...Xt,model:t})},...n?[{text:"Settings for a client",href:`#/clients?model=${encodeURIComponent(t)}`}]:[],{text:"Copy the name",copy:t}]}function Ot({steps:e}){return e.map(({targets:t})=>[...new Set(t.map(({provider:n})=>n))].join(", ")).join(" \u2192 ")}function Ds(e){return e.map(({health:n})=>n).filter(n=>ke.indexOf(n)<ke.indexOf("ok")).toSorted((n,s)=>ke.indexOf(n)-ke.indexOf(s))[0]}function di({entry:{all:e,health:t}}){let n=Ds(e);if(n===void 0||e.length===1)return l`<${Tt} state=${n??t} />`;let s=e.filter(o=>o.health===n).length;return s===e.length?l`<${Tt} state=${n} />`:l`
    <span class=${`st ${n}`}>${s} of ${e.length} ${Re.get(n).text.toLowerCase()}</span>
  `}function Tt({state:e}){return e==="limited"?l`<span class="st slow">${Re.get(e).text}</span>`:l`<${Bt} state=${e} />`}function Fs({id:e}){return l`
    <a
      class="button small"
      href=${`#/playground?model=${encodeURIComponent(e)}`}
      aria-label=${`Try ${e}`}
    >Try</a>
  `}function Bs({entry:{health:e,state:t}}){return t!==void 0&&t.breaker!=="closed"?l`<${zt} state=${t.breaker} />`:l`<${Tt} state=${e} />`}function Se(e,t){return e==null?"\u2013":t(e)}function Us({entry:e,now:t}){let{form:n,id:s,steps:o}=e;return l`
    <section class="card model-details" aria-labelledby="model-title">
      <div class="row spread">
        <h2 id="model-title" class="row">
          <span class="mono wrap-anywhere">${s}</span>
          <span class="badge">${nt.get(n)}</span>
        </h2>
        <div class="row">
          <${M} text=${s} label="Copy the name" />
          ${n!=="pattern"&&l`
            <a class="button" href=${`#/clients?model=${encodeURIComponent(s)}`}>
              Copy settings for a client
            </a>
            <${Fs} id=${s} />
          `}
          <${E} icon="close" label="Close" onClick=${()=>location.hash="#/models"} />
        </div>
      </div>
      ${e.description&&l`<p class="soft">${e.description}</p>`}
      <${L} class="facts" facts=${fi(e,t)} />
      <h3>Where its requests go</h3>
      <ol class="route-graph">
        <li class="route-start"><span class="badge accent">Request</span></li>
        ${o.map((r,i)=>l`<${mi} key=${i} step=${r} index=${i} />`)}
      </ol>
      ${e.other_providers&&l`
        <p class="soft small">
          Also at ${e.other_providers.join(", ")}: as <code>${`${e.root}@${e.other_providers[0]}`}</code>, or with <code>pins</code> and <code>balance</code>.
        </p>
      `}
    </section>
  `}function fi(e,t){let{display_name:n,prices:s,source:o}=e;return[["Shown as",n===e.id?void 0:n],["Limits",he(e).join(", ")||"unknown"],["Prices per million",s?pi(s):"unknown"],["Capabilities",ae(e).join(", ")||"unknown"],["Attempts, 24 hours",`${C(e.attempts)}, ${C(e.failed)} failed`],["Uptime, 24 hours",Se(e.uptime,i=>pe(i,1))],["Source",Ps(o,t)??"config.yaml"]].filter(([,i])=>i!==void 0)}function pi({cache_write:e,cached_input:t,input:n,output:s}){return[`${P(n)} in`,`${P(s)} out`,...t===void 0?[]:[`${P(t)} cached`],...e===void 0?[]:[`${P(e)} cache write`]].join(", ")}function mi({step:e,index:t}){let{balance:n,targets:s}=e;return l`
    <li class="route-step">
      <span class="route-arrow" aria-hidden="true"></span>
      <span class="route-when small">
        ${t===0?"first":js(s[0])}
      </span>
      <div class="route-targets">
        ${s.length>1&&l`
          <span class="soft small">${C(s.length)} equals: ${Ls.get(n)??n}</span>
        `}
        <ul>
          ${s.map(o=>l`
              <${hi}
                key=${`${o.provider} ${o.upstream}`}
                target=${o}
                share=${Ns(o,e)}
              />
            `)}
        </ul>
      </div>
    </li>
  `}function hi({target:e,share:t}){let{attempts:n,kind:s,provider:o,state:r,upstream:i,uptime:a}=e;return l`
    <li class=${`route-target ${r.breaker==="closed"?"":"broken"}`}>
      <div class="row spread">
        <strong class="mono wrap-anywhere">${i}</strong>
        <${Bs} entry=${e} />
      </div>
      <span class="soft small">
        ${o}${s===o?"":` (${s})`}${t&&l`${" \xB7 "}<strong>${t}</strong>`}
      </span>
      <span class="faint small">
        ${n>0?`p50 ${Se(e.p50_ms,T)}, p95 ${Se(e.p95_ms,T)}, uptime ${Se(a,c=>pe(c,1))}`:"no attempt in 24 hours"}
        ${r.tries_again_in_ms>0&&`; tries again in ${T(r.tries_again_in_ms)}`}
      </span>
    </li>
  `}var $i=[["all","All"],["model","Models"],["alias","Aliases"],["pinned","Pinned"]];function Ws({route:e}){let t=ie(),{data:n,error:s,isLoading:o,reload:r}=N(a=>_(it(t,"routes"),{signal:a}),[t.hasAdmin]),{state:i}=Yt(it(t,"live"));return l`
    <div class="view" data-view="models">
      <${Y}
        title="Models"
        note=${t.hasAdmin?"All names.":"The names that your key may use."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${r}
          disabled=${o}>Refresh</button>
      <//>
      <${x} error=${s} title="The models cannot be loaded" />
      ${n===void 0?!s&&l`<${O} text="Loading the models" />`:l`<${gi} routes=${n} live=${i} opened=${e.path[0]} />`}
    </div>
  `}function gi({routes:e,live:t,opened:n}){let[s,o]=$(""),[r,i]=$("all"),a=JSON.stringify((t?.models??[]).map(f=>[f.provider,f.upstream,f.breaker,f.attempts,f.failed_attempts,Math.ceil((f.tries_again_in_ms??0)/1e3)])),c=I(()=>Ms(e,t),[e,a]),u=I(()=>Is(c,s,r),[c,s,r]),d=I(()=>l`<${qs} entries=${u} opened=${n} />`,[u,n]),p=c.find(({id:f})=>f===n);return l`
    <div class="filters">
      <label class="field">
        <span>Search</span>
        <input
          type="search"
          aria-keyshortcuts="Alt+Shift+F"
          value=${s}
          placeholder="Name, provider or vendor"
          onInput=${({currentTarget:f})=>o(f.value)}
        />
      </label>
      <${F} label="Names" value=${r} options=${$i} onChange=${i} />
      <span class="soft small" role="status">
        ${C(u.length)} of ${C(c.length)} names
      </span>
    </div>
    ${n!==void 0&&(p===void 0?l`<p class="notice" role="status">There is no model <code>${n}</code>.</p>`:l`<${Us} entry=${p} now=${Date.parse(t?.at??e.since)} />`)}
    ${d}
  `}var Xs={};Ee(Xs,{default:()=>Js});var bi=[["linux","Linux"],["darwin","macOS"],["windows","Windows"]];function Js({route:e}){let{hasService:t}=ie(),[n,s]=$(wi);return l`
    <div class="view" data-view="clients">
      <${Y} title="Clients" note="What each client is set to, to use this gateway.">
        <${F} label="Operating system" value=${n} options=${bi} onChange=${s} />
      <//>
      ${t?l`<${yi} os=${n} model=${e.query.get("model")??""} />`:l`
        <p class="card empty">The settings name the models of a service key. Sign in with one.</p>
      `}
    </div>
  `}function wi(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function yi({os:e,model:t}){let n=new URLSearchParams({os:e,origin:location.origin,...t!==""&&{model:t}}),{data:s,error:o}=N(c=>_(`/v1/clients?${n}`,{signal:c}),[e,t]),[r,i]=$("");if(o)return l`<${x} error=${o} title="The settings cannot be shown" />`;if(!s)return l`<${O} text="Loading the settings" />`;if(s.data.length===0)return l`<p class="card empty">This key may use no model that answers chats.</p>`;let a=s.data.find(c=>c.id===r)??s.data[0];return l`
    <div class="stack">
      ${t!==""&&l`
        <p class="soft" role="status">
          With the model <code>${t}</code>. <a href="#/clients">Use the usual one</a>
        </p>
      `}
      <label class="row">
        Client
        <select aria-keyshortcuts="Alt+Shift+F" value=${a.id} onChange=${c=>i(c.target.value)}>
          ${s.data.map(c=>l`<option key=${c.id} value=${c.id}>${c.title}</option>`)}
        </select>
      </label>
      <${vi} key=${`${e} ${a.id}`} client=${a} />
    </div>
  `}function vi({client:{id:e,title:t,source:n,checked:s,files:o,steps:r}}){return l`
    <section class="card stack padded client-settings" aria-label=${t}>
      ${o.map(({path:i,text:a})=>l`
          <div key=${i} class="stack">
            <div class="row spread">
              <code>${i}</code>
              <${M} text=${a} label=${`Copy settings for ${t}`} class="small" />
            </div>
            <pre class="code-box" tabindex="0" aria-label=${`Content of ${i}`}>${a}</pre>
          </div>
        `)}
      ${r.length>0&&l`
        <div class="row spread">
          <strong>${o.length===0?"What to enter":"Besides"}</strong>
          <${M}
            text=${r.join(`
`)}
            label=${o.length===0?`Copy settings for ${t}`:"Copy steps"}
            class="small"
          />
        </div>
        <pre class="code-box" tabindex="0" aria-label=${`Steps for ${t}`}>${r.join(`
`)}</pre>
      `}
      ${o.length>0&&l`
        <p class="hint">
          <code>sluice connect ${e} --url ${location.origin}</code> shows the changes of the file and
          writes them, with a backup.
        </p>
      `}
      <p class="hint">
        From <a href=${n} target="_blank" rel="noreferrer">${n}</a>, ${s}.
      </p>
    </section>
  `}var oo={};Ee(oo,{default:()=>so});function Gs(e,t){let[n,s]=[e.split(`
`),t.split(`
`)],o=0;for(;o<n.length&&o<s.length&&n[o]===s[o];)o++;let r=0;for(;r<n.length-o&&r<s.length-o&&n[n.length-1-r]===s[s.length-1-r];)r++;let i=xi(n.slice(o,n.length-r),s.slice(o,s.length-r));if(i.length===0)return[];let a=[],[c,u]=[o,o];for(let{sign:f,text:m}of i)a.push({sign:f,text:m,line:f==="-"?c+1:u+1}),f!=="+"&&c++,f!=="-"&&u++;let d=s.slice(Math.max(0,o-3),o).map((f,m,{length:h})=>({sign:" ",text:f,line:o-h+m+1})),p=s.slice(u,u+3).map((f,m)=>({sign:" ",text:f,line:u+m+1}));return ki([...d,...a,...p])}function xi(e,t){if(e.length*t.length>4e6)return Ks(e,t);let n=t.length+1,s=new Uint32Array((e.length+1)*n);for(let a=e.length-1;a>=0;a--)for(let c=t.length-1;c>=0;c--)s[a*n+c]=e[a]===t[c]?s[(a+1)*n+c+1]+1:Math.max(s[(a+1)*n+c],s[a*n+c+1]);let o=[],[r,i]=[0,0];for(;r<e.length&&i<t.length;)e[r]===t[i]?(o.push({sign:" ",text:e[r]}),r++,i++):s[(r+1)*n+i]>=s[r*n+i+1]?o.push({sign:"-",text:e[r++]}):o.push({sign:"+",text:t[i++]});return[...o,...Ks(e.slice(r),t.slice(i))]}function Ks(e,t){return[...e.map(n=>({sign:"-",text:n})),...t.map(n=>({sign:"+",text:n}))]}function ki(e){let t=[],n=-1/0;for(let[s,o]of e.entries())e.slice(Math.max(0,s-3),s+3+1).some(({sign:i})=>i!==" ")&&(s!==n+1&&t.push([]),t.at(-1).push(o),n=s);return t}var Si=new Map([["providers","Provider"],["models","Model"],["aliases","Alias"],["pins","Pin"],["limits","Limit"],["keys","Service key"],["admin_keys","Admin key"],["settings","Setting"]]),Ci={added:"good",removed:"bad",changed:"accent"};function st({check:e,onGo:t}){let{problems:n,more_problems:s}=e;return n.length===0?l`<p class="row"><span class="badge good">valid</span> No problems</p>`:l`
    <ol class="config-problems">
      ${n.map((o,r)=>l`
          <li key=${r}>
            ${o.line?l`
                <button type="button" class="link" onClick=${()=>t(o)}>
                  Line ${o.line}, column ${o.column??1}
                </button>
              `:l`<strong>File</strong>`}
            <span class="wrap-anywhere">
              ${o.path&&l`<code>${o.path}</code>${": "}`}${o.message}
            </span>
          </li>
        `)}
    </ol>
    ${s>0&&l`<p class="hint">${C(s)} more problems</p>`}
  `}function ot({check:e}){let{changes:t,more_changes:n}=e;return t.length===0?l`<p class="soft">It changes nothing that is in use.</p>`:l`
    <${Te} label="Changes of the configuration in use" class="config-changes">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Name</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        ${t.map(({section:s,name:o,change:r,before:i,after:a})=>l`
            <tr key=${`${s} ${o}`}>
              <td>${Si.get(s)??s}</td>
              <th scope="row" class="mono wrap-anywhere">${o}</th>
              <td>
                <span class=${`badge ${Ci[r]}`}>${r}</span>
                ${i!==void 0&&l`<del class="mono wrap-anywhere">${i}</del>`}
                ${a!==void 0&&l`<ins class="mono wrap-anywhere">${a}</ins>`}
              </td>
            </tr>
          `)}
      </tbody>
      <//>
    ${n>0&&l`<p class="hint">${C(n)} more changes</p>`}
  `}function Rt({before:e,after:t,label:n}){let s=Gs(e,t);return s.length===0?l`<p class="soft">The texts are the same.</p>`:l`
    <div class="line-diff" role="group" aria-label=${n} tabindex="0">
      ${s.map((o,r)=>l`
          <div key=${r} class="line-group">
            ${o.map(({sign:i,text:a,line:c},u)=>l`
                <div key=${u} class=${_i[i]}>
                  <span class="faint">${c}</span>
                  <span class="only-read">${Ai[i]}</span>
                  <code>${`${i} ${a}`}</code>
                </div>
              `)}
          </div>
        `)}
    </div>
  `}var _i={"+":"added","-":"removed"," ":""},Ai={"+":"added","-":"removed"," ":""};var Ei=/^(\s*)((?:- +)*)(?:(["']?)([^\s"'#,{}[\]][^"'#,{}[\]]*?)\3\s*:(?=\s|$))?\s*(.*)$/;function Ys(e,t){let n=e.split(`
`),s=e.slice(0,t).split(`
`).length-1,o=e.slice(0,t).split(`
`)[s];if(/(?:^|\s)#/.test(o)||o.includes("	"))return;let r=ue(o),{steps:i,prefix:a,isKey:c,siblings:u}=Oi(r),{path:d,providerLine:p,above:f}=Ti(n,s,r),m=i.length>0||r.key!==void 0;return{path:[...d,...i],prefix:a,isKey:c,siblings:u??(m?[]:[...f,...Mi(n,s,r.column)]),kind:d[0]==="providers"||i[0]==="providers"?Ii(n,p??s):void 0}}function ue(e){let[,t,n,,s,o]=Ei.exec(e)??["","","","",void 0,""];return{indent:t.length,marks:n.length,column:t.length+n.length,key:s,rest:o}}function Oi({key:e,rest:t}){let n=e===void 0?[]:[e],s=[],o=0;for(let{0:u,index:d}of t.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[{}\],]/g)){if(u.length>1)continue;let p=/([^\s"'{},[\]:]+)["']?\s*:\s*$/.exec(t.slice(o,d))?.[1];if(u==="{"||u==="[")p!==void 0&&n.push(p),u==="["&&n.push("[]"),s.push({mark:u,count:(p===void 0?0:1)+(u==="["?1:0),keys:[]});else if(u!==","){let{count:f}=s.pop()??{count:0};n.splice(n.length-f)}if(u===","&&s.length>0){let f=/^\s*["']?([^\s"'{},[\]:]+)["']?\s*:/.exec(t.slice(o,d))?.[1];f!==void 0&&s.at(-1).keys.push(f)}o=d+1}let r=t.slice(o),i=s.at(-1),a=i?.mark==="{"?/^\s*["']?([^\s"':]+)["']?\s*:\s+(.*)$/.exec(r):null;a!==null&&n.push(a[1]);let c=a!==null||i?.mark==="["||i===void 0&&e!==void 0;return{steps:n,prefix:(a?.[2]??r).trimStart().replace(/^["']/,""),isKey:!c,siblings:i?.mark==="{"?i.keys:void 0}}function Ti(e,t,{indent:n,marks:s,column:o}){let r=[],i=[],a=o,c=s>0;c&&(r.push("[]"),a=n+1);for(let u=t-1;u>=0&&a>0;u--){let d=e[u];if(/^\s*(#|$)/.test(d))continue;let{indent:p,marks:f,column:m,key:h,rest:b}=ue(d);if(m===a&&!c&&h!==void 0&&r.length===0&&i.push(h),f>0&&m===a&&!c){r.unshift("[]"),a=p+1,c=!0;continue}if(m>=a||h===void 0||/^[^&!#\s]/.test(b)){if(m<a&&h===void 0)break;continue}r.unshift(h),a=m,c=!1,f>0&&(r.unshift("[]"),a=p+1,c=!0)}return{path:r,above:i,providerLine:Ri(e,t,r)}}function Ri(e,t,[n,s]){if(!(n!=="providers"||s===void 0))for(let o=t;o>=0;o--){let{key:r,column:i}=ue(e[o]);if(r===s&&i>0)return o}}function Mi(e,t,n){let s=[];for(let o of e.slice(t+1)){if(/^\s*(#|$)/.test(o))continue;let r=ue(o);if(r.column<n||r.marks>0)break;r.column===n&&r.key!==void 0&&s.push(r.key)}return s}function Ii(e,t){let{column:n}=ue(e[t]??"");for(let s=t;s<e.length;s++){if(s>t&&e[s].trim()!==""&&ue(e[s]).column<=n)return;let o=/(?:^|[\s{,])kind:\s*["']?([\w-]+)/.exec(e[s])?.[1];if(o!==void 0)return o}}function zs(e,t){if(t===void 0)return[];let{path:n,kind:s,isKey:o,prefix:r,siblings:i}=t,a=rt(e,e);for(let[d,p]of n.entries())if(a=a.flatMap(f=>rt(Ni(f,p),e)),n[0]==="providers"&&d===1&&s!==void 0){let f=a.filter(({properties:m})=>m?.kind?.const===s);f.length>0&&(n[2]??"")!=="kind"&&(a=f)}let c=o?Li(a,e,i):ji(a),u=r.toLowerCase();return c.filter(({text:d})=>d.toLowerCase().includes(u)&&d!==r).sort((d,p)=>Vs(d,u)-Vs(p,u)).slice(0,50)}function Vs({text:e},t){return e.toLowerCase().startsWith(t)?0:1}function Ni({properties:e,additionalProperties:t,items:n},s){return s==="[]"?n:e!==void 0&&Object.hasOwn(e,s)?e[s]:typeof t=="object"?t:void 0}function rt(e,t){if(typeof e!="object"||e===null)return[];let{$ref:n,anyOf:s=[],oneOf:o=[],allOf:r=[]}=e,a=[...n===void 0?[]:[n.split("/").slice(1).reduce((c,u)=>c?.[u],t)],...s,...o,...r];return[e,...a.flatMap(c=>rt(c,t))]}function Li(e,t,n){let s=new Map;for(let{properties:o={}}of e)for(let[r,i]of Object.entries(o)){if(n.includes(r)||s.has(r))continue;let a=rt(i,t),c=a.some(({type:d})=>d==="object"||d==="array")&&!a.some(({type:d})=>d==="string"),u=a.find(({description:d})=>d)?.description??"";s.set(r,{text:r,insert:c?`${r}:`:`${r}: `,hint:u})}return[...s.values()]}function ji(e){let t=new Map;for(let{const:n,enum:s=[],type:o,default:r}of e){let i=[...n===void 0?[]:[n],...s,...o==="boolean"?[!0,!1]:[]];for(let a of i){let c=String(a);t.set(c,{text:c,insert:c,hint:a===r?"the default":""})}}return[...t.values()]}var Mt=20;function Zs({text:e,schema:t,problems:n,target:s,onInput:o}){let r=A(null),i=A(null),[a,c]=$(void 0);y(()=>{s!==void 0&&qi(r.current,s)},[s]),It(()=>{a!==void 0&&document.getElementById(`config-option-${a.active}`)?.scrollIntoView({block:"nearest"})},[a]);let u=h=>{let{selectionStart:b,selectionEnd:g,value:S,scrollTop:G,scrollLeft:j}=r.current,D=b===g&&t?Ys(S,b):void 0,_e=h||(D?.prefix??"")!==""?zs(t,D):[];if(_e.length===0)return c(void 0);let v=S.slice(0,b).split(`
`);c({options:_e,active:0,length:D.prefix.length,top:v.length*Mt-G,column:v.at(-1).length-D.prefix.length,scrollLeft:j})},d=({insert:h})=>{let{selectionStart:b}=r.current;r.current.setSelectionRange(b-a.length,b),c(void 0),Qs(h)},p=h=>{let{key:b,ctrlKey:g,altKey:S,metaKey:G}=h;if(g&&b===" ")return h.preventDefault(),u(!0);if(!(g||S||G)){if(a!==void 0){let{options:j,active:D}=a,oe={ArrowDown:1,ArrowUp:j.length-1}[b];if(oe!==void 0)return h.preventDefault(),c({...a,active:(D+oe)%j.length});if(b==="Enter"||b==="Tab")return h.preventDefault(),d(j[D]);if(b==="Escape")return h.stopPropagation(),c(void 0)}b==="Enter"&&(h.preventDefault(),Qs(`
${Pi(r.current)}`))}},f=new Set(n.map(({line:h})=>h)),m=e.split(`
`).length;return l`
    <div class="yaml-editor">
      <div class="yaml-lines" ref=${i} aria-hidden="true">
        <pre>${Array.from({length:m},(h,b)=>b+1).join(`
`)}</pre>
        ${[...f].filter(Boolean).map(h=>l`
            <span key=${h} style=${{top:`${(h-1)*Mt}px`}}>${h}</span>
          `)}
      </div>
      <textarea
        ref=${r}
        class="code"
        id="config-text"
        wrap="off"
        aria-label="Text of config.yaml"
        aria-describedby="config-keys"
        aria-autocomplete="list"
        aria-controls="config-options"
        aria-activedescendant=${a&&`config-option-${a.active}`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck=${!1}
        value=${e}
        onInput=${h=>{o(h.target.value),u(!1)}}
        onKeyDown=${p}
        onBlur=${()=>c(void 0)}
        onClick=${()=>c(void 0)}
        onScroll=${h=>{i.current.scrollTop=h.target.scrollTop,c(void 0)}}
      ></textarea>
      <ul
        id="config-options"
        role="listbox"
        aria-label="Suggestions"
        hidden=${a===void 0}
        style=${a&&{top:`${a.top}px`,left:`calc(var(--gutter) + 8px + ${a.column}ch - ${a.scrollLeft}px)`}}
        onMouseDown=${h=>h.preventDefault()}
      >
        ${a?.options.map((h,b)=>l`
            <li
              key=${h.text}
              id=${`config-option-${b}`}
              role="option"
              aria-selected=${String(b===a.active)}
              onClick=${()=>d(h)}
            ><span class="mono">${h.text}</span> <span class="small">${h.hint}</span></li>
          `)}
      </ul>
    </div>
  `}function Qs(e){document.execCommand("insertText",!1,e)}function Pi({value:e,selectionStart:t}){let n=e.slice(0,t).split(`
`).at(-1),[,s,o]=/^(\s*)((?:- )*)/.exec(n),r=s+" ".repeat(o.length);return/:\s*$/.test(n)?`${r}  `:r}function qi(e,{line:t,column:n=1}){let s=e.value.split(`
`),o=s.slice(0,t-1).reduce((r,{length:i})=>r+i+1,0);e.focus(),e.setSelectionRange(o+n-1,o+(s[t-1]??"").length),e.scrollTop=Math.max(0,(t-5)*Mt),e.scrollLeft=0}function eo(){let{data:e,error:t}=N(o=>_("/v1/admin/providers",{signal:o}),[]),[n,s]=$(void 0);return l`
    <section class="card titled" aria-labelledby="tests-title">
      <h2 id="tests-title">Test a provider</h2>
      <${x} error=${t} title="The providers cannot be listed" />
      ${!e&&!t&&l`<${O} />`}
      ${e&&l`
        <${Te} label="Providers">
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Kind</th>
              <th scope="col">State</th>
              <th scope="col"><span class="only-read">Test</span></th>
            </tr>
          </thead>
          <tbody>
            ${e.data.map(({id:o,kind:r,state:i,reason:a})=>l`
                <tr key=${o}>
                  <th scope="row" class="name mono wrap-anywhere">${o}</th>
                  <td>${r}</td>
                  <td>${i==="on"?"enabled":a}</td>
                  <td class="row-actions">
                    <button
                      type="button"
                      class="small"
                      disabled=${i!=="on"}
                      aria-label=${`Test ${o}`}
                      onClick=${()=>s(o)}
                    >Test</button>
                  </td>
                </tr>
              `)}
          </tbody>
          <//>
      `}
      ${n&&l`<${Di} id=${n} onClose=${()=>s(void 0)} />`}
    </section>
  `}function Di({id:e,onClose:t}){let n=`/v1/admin/providers/${encodeURIComponent(e)}/test`,{data:s,error:o}=N(f=>_(n,{signal:f}),[e]),[r,i]=$(void 0),[a,c]=$(void 0),u=r??s?.models[0]?.id??"",d=s?.models.find(f=>f.id===u)?.max_cost_usd,p=async f=>{if(f.preventDefault(),a?.isBusy)return;let m=performance.now();c({isBusy:!0});try{let h=await re(n,{body:{model:u}});c({headers:h.headers,answer:await h.json()})}catch(h){c({failure:h,ms:performance.now()-m})}};return l`
    <${H} title=${`Test ${e}`} onClose=${t} class="narrow">
      <form class="stack" onSubmit=${p}>
        <${x} error=${o} title="It cannot be tested" />
        ${!s&&!o&&l`<${O} />`}
        ${s&&l`
          <div class="field">
            <label for="test-model">Model</label>
            <select
              id="test-model"
              value=${u}
              onChange=${f=>{i(f.target.value),c(void 0)}}
            >
              ${s.models.map(f=>l`<option key=${f.id} value=${f.id}>${f.id}</option>`)}
            </select>
          </div>
          <p>
            It sends <q>${s.prompt}</q> and asks for ${C(s.max_output_tokens)} token. Cost:
            ${" "}<strong>${d==null?"unknown, its price is not known":`at most ${B(d)}`}</strong>.
          </p>
        `}
        <div role="status" class="stack">
          ${a?.isBusy&&l`<${O} text="Waiting for the provider" />`}
          ${a?.answer&&l`<${Fi} ...${a} />`}
        </div>
        ${a?.failure&&l`
          <${x} error=${a.failure} title=${`Failed after ${T(a.ms)}`} />
        `}
        <div class="row end">
          <button type="button" onClick=${t}>Close</button>
          <button type="submit" class="primary" disabled=${u===""||a?.isBusy}>
            Send the test
          </button>
        </div>
      </form>
      <//>
  `}function Fi({answer:e,headers:t}){let n=t.get("x-sluice-cost-usd"),{usage:s}=e,o=[["Status","200"],["Latency",T(e.ms)],["Answer",e.answer===""?"no text":e.answer],["Tokens",s?`${C(s.prompt_tokens)} in, ${C(s.completion_tokens)} out`:"unknown"],["Cost",n===null?"unknown":B(Number(n))],["Attempts",t.get("x-sluice-attempts")??"1"]];return l`
    <p class="row"><span class="badge good">works</span> ${e.model} answered.</p>
    <${L} class="config-state" facts=${o} />
  `}function to({config:e,base:t,text:n,onSaved:s,onReload:o,onClose:r}){let{data:i,error:a}=N(h=>_("/v1/admin/config/check",{body:{text:n},signal:h}),[n]),[c,u]=$({}),{isBusy:d,error:p}=c,f=p?.code==="config_changed",m=async()=>{if(!d){u({isBusy:!0});try{s(await _("/v1/admin/config",{body:{text:n,hash:e.hash}}))}catch(h){u({error:h})}}};return l`
    <${H} title="Review the changes" onClose=${r} class="wide">
      <div class="stack wide">
        <${x} error=${a} title="Not checked" />
        ${!i&&!a&&l`<${O} text="Checking" />`}
        ${i&&!i.valid&&l`<${st} check=${i} onGo=${r} />`}
        ${i?.valid&&l`
          <section class="stack">
            <h3>Changes of the configuration in use</h3>
            <${ot} check=${i} />
          </section>
        `}
        <section class="stack">
          <h3>Lines of the file</h3>
          <${Rt} before=${t} after=${n} label="Lines that differ" />
        </section>
        <${x} error=${p} title="Not saved" />
        ${!e.editable&&l`<p class="hint">${e.read_only_reason}</p>`}
        <div class="row end">
          <button type="button" onClick=${r}>Cancel</button>
          ${f&&l`
            <button type="button" onClick=${o}>Compare with the file as it is now</button>
          `}
          ${e.editable&&l`
            <button
              type="button"
              class="primary"
              disabled=${d||f||!i?.valid||n===t}
              onClick=${m}
            >Save and load</button>
          `}
        </div>
      </div>
      <//>
  `}function no({version:e,base:t,onUse:n,onClose:s}){let o=`/v1/admin/config/versions/${encodeURIComponent(e.id)}`,{data:r,error:i}=N(a=>_(o,{signal:a}),[o]);return l`
    <${H} title=${`Until ${me(e.replaced_at)}`} onClose=${s} class="wide">
      <div class="stack">
        <p class="soft">It was replaced by ${e.by}. What it would change in the file:</p>
        <${x} error=${i} title="The text cannot be shown" />
        ${!r&&!i&&l`<${O} />`}
        ${r&&l`
          <${Rt} before=${t} after=${r.text} label="Lines that differ" />
        `}
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="button" class="primary" disabled=${!r} onClick=${()=>n(r.text)}>
            Put it into the editor
          </button>
        </div>
      </div>
      <//>
  `}var Bi=600,Ce;function so(){let{hasAdmin:e}=ie();return l`
    <div class="view" data-view="config">
      ${e?l`<${Ui} />`:l`
        <${Y} title="Config" />
        <${Ht} what="The configuration needs an admin key." />
      `}
    </div>
  `}function Ui(){let{data:e,error:t,reload:n,setData:s}=N(o=>_("/v1/admin/config",{signal:o}),[]);return e?l`<${Wi} config=${e} onReload=${n} onConfig=${s} />`:l`
      <${Y} title="Config" />
      <${x} error=${t} title="The configuration cannot be shown" />
      ${!t&&l`<${O} text="Loading the configuration" />`}
    `}function Wi({config:e,onReload:t,onConfig:n}){let s=e.file_text??e.text,[o,r]=$(Ce??s),[i,a]=$(void 0),[c,u]=$(""),d=o!==s,p=m=>{Ce=m,r(m),u("")};y(()=>{d||(Ce=void 0);let m=h=>d&&h.preventDefault();return addEventListener("beforeunload",m),()=>removeEventListener("beforeunload",m)},[d]),y(()=>{Ce===void 0&&r(s)},[s]);let f=m=>{Ce=void 0,r(m.file_text??m.text),n(m),a(void 0),u(m.valid?"Saved and in use.":"Saved, but not in use.")};return l`
    <${Y} title="Config" note=${e.source}>
      <button type="button" onClick=${t} aria-keyshortcuts="Alt+Shift+R">
        <${R} name="retry" /> Refresh
      </button>
      <${M} text=${()=>o} label="Copy" class="" />
      <button type="button" onClick=${()=>Jt("config.yaml",o,"application/yaml")}>
        Download
      </button>
      <button type="button" disabled=${!d} onClick=${()=>p(s)}>Discard</button>
      <button
        type="button"
        class="primary"
        disabled=${!d}
        aria-keyshortcuts="Alt+Shift+S"
        onClick=${()=>a({type:"save"})}
      >${e.editable?"Review and save":"Review the changes"}</button>
    <//>
    <${Hi} config=${e} text=${o} onEdit=${p} />
    <p role="status" class=${c===""?"only-read":"row"}>
      ${c!==""&&l`<span class="badge good">saved</span> ${c}`}
    </p>
    <${Ji} text=${o} loadedAt=${e.loaded_at} isEdited=${d} onEdit=${p} />
    <${Ki} versions=${e.versions} onOpen=${m=>a({type:"version",version:m})} />
    <${eo} />
    ${i?.type==="save"&&l`
      <${to}
        ...${{config:e,base:s,text:o}}
        onSaved=${f}
        onReload=${()=>{t(),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
    ${i?.type==="version"&&l`
      <${no}
        version=${i.version}
        base=${s}
        onUse=${m=>{p(m),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
  `}function Hi({config:e,text:t,onEdit:n}){let s=[["In use since",me(e.loaded_at)],["File",e.valid?"in use":"not in use"],["Saving here",e.editable?"possible":"not possible"]];return l`
    <section class="card padded stack" aria-label="State">
      <${L} class="config-state" facts=${s} />
      ${!e.editable&&l`
        <p class="soft">${e.read_only_reason}. Edit the text here, then copy or download it.</p>
      `}
    </section>
    ${!e.valid&&l`
      <section class="banner bad" aria-labelledby="stale-title">
        <h2 id="stale-title">The file is not used</h2>
        <p>${e.reason}. The gateway uses the configuration before.</p>
        <ul class="faults">
          ${e.faults.map((o,r)=>l`<li key=${r}>${o}</li>`)}
        </ul>
        ${e.file_text!==null&&t!==e.text&&l`
          <p>
            <button type="button" onClick=${()=>n(e.text)}>
              Edit the text that is in use
            </button>
          </p>
        `}
      </section>
    `}
  `}function Ji({text:e,loadedAt:t,isEdited:n,onEdit:s}){let{data:o}=N(d=>_("/v1/admin/config/schema",{signal:d}),[]),{check:r,error:i,isChecking:a}=Xi(e,t),[c,u]=$(void 0);return l`
    <div class="config-workbench">
      <div class="stack">
        <${Zs}
          text=${e}
          schema=${o}
          problems=${r?.problems??[]}
          target=${c}
          onInput=${s}
        />
        <p class="hint" id="config-keys">
          Ctrl Space suggests names and values. Values such as <code>hidden-…</code> stand for
          secrets, which stay as they are.
        </p>
      </div>
      <div class="stack config-side">
        <section class="card padded stack" aria-labelledby="problems-title">
          <div class="row spread">
            <h2 id="problems-title">Problems</h2>
            <div role="status">${a&&l`<${O} text="Checking" />`}</div>
          </div>
          <${x} error=${i} title="Not checked" />
          ${r&&l`
            <${st} check=${r} onGo=${d=>u({...d})} />
            ${r.unread.length>0&&l`
              <p class="hint">
                New references are read when the file is loaded: ${r.unread.join(", ")}
              </p>
            `}
          `}
        </section>
        <section class="card titled" aria-labelledby="changes-title">
          <h2 id="changes-title">Changes</h2>
          <div class="config-change-list">
            ${r&&(n||r.changes.length>0)?l`<${ot} check=${r} />`:l`<p class="soft">None yet.</p>`}
          </div>
        </section>
      </div>
    </div>
  `}function Xi(e,t){let[n,s]=$({});return y(()=>{let o=new AbortController,{signal:r}=o;s(a=>({...a,isChecking:!0}));let i=setTimeout(()=>{_("/v1/admin/config/check",{body:{text:e},signal:r}).then(a=>r.aborted||s({check:a}),a=>r.aborted||s({error:a}))},Bi);return()=>{clearTimeout(i),o.abort()}},[e,t]),n}function Ki({versions:e,onOpen:t}){return l`
    <section class="card padded stack" aria-labelledby="versions-title">
      <h2 id="versions-title">Texts that were replaced</h2>
      ${e.length===0?l`<p class="soft">None: texts are kept when they are replaced here.</p>`:l`
          <ul class="config-versions">
            ${e.map(n=>l`
                <li key=${n.id}>
                  <button type="button" class="link" onClick=${()=>t(n)}>
                    ${me(n.replaced_at)}
                  </button>
                  <span class="soft">replaced by ${n.by}</span>
                </li>
              `)}
          </ul>
        `}
    </section>
  `}export{Xs as clients,oo as config,Hs as models,Ts as playground};
