import{C as se,E as pt,I as un,J as Ne,K as dn,R as fn,S as pn,T as mn,U as hn,V as $n,W as gn,a as ue,b as nn,e as K,f as ft,h as z,i as on,k as rn,p as an,r as ln,w as cn}from"./shared2.js";import{D as A,E as q,F as O,G as j,H as ce,I as F,J as Zt,K as I,L,M as T,N as dt,O as ne,P as N,Q as H,S as ge,U as B,V as G,a as Me,c as g,ca as en,d as x,e as Ie,f as _,g as P,i as c,k as he,l as $e,m as Xt,o as Gt,s as Vt,t as Yt,u as le,v as R,w as zt,x as Qt,xa as tn,y as M,ya as sn}from"./shared1.js";var zs={};Me(zs,{default:()=>Ys});function je({id:e,root:t}){return e===t?"model":e.startsWith(`${t}@`)?"pinned":"alias"}function be({context_window:e,max_output_tokens:t}){return[...e?[`${ne(e)} context`]:[],...t?[`${ne(t)} output`]:[]]}function ye(e){return e.input>0||e.output>0||se(e).length===0}function Le({prices:e}){return e?[...ye(e)?[`${B(e.input)} in, ${B(e.output)} out`]:[],...se(e)].join(", "):void 0}var To=new Map([["tools","tools"],["vision","images"],["json_schema","JSON schema"],["reasoning","reasoning"]]);function de({capabilities:e}){return[...To].filter(([t])=>e?.[t]).map(([,t])=>t)}var Mo=["images","speech","transcription","rerank","embeddings","moderation"];function mt({capabilities:e,dimensions:t}){return Mo.find(s=>e?.[s]===!0)??(t===void 0?"chat":"embeddings")}var bn={kind:"number",min:-2,max:2,step:.1},ht=[{name:"temperature",kind:"number",min:0,max:2,step:.1,slider:2},{name:"max_tokens",kind:"integer",min:1,slider:8192},{name:"top_p",kind:"number",min:0,max:1,step:.05,slider:1},{name:"reasoning_effort",kind:"choice",options:["none","minimal","low","medium","high","xhigh","max"]},{name:"response_format",kind:"format",accepts:"object"},{name:"tool_choice",kind:"choice",options:["auto","none","required"]}],we=[{name:"max_completion_tokens",kind:"integer",min:1},{name:"stop",kind:"lines",hint:"One sequence per line"},{name:"seed",kind:"integer"},{name:"frequency_penalty",...bn},{name:"presence_penalty",...bn},{name:"logit_bias",kind:"json",accepts:"object",hint:"Token ID: -100 to 100"},{name:"verbosity",kind:"choice",options:["low","medium","high"]},{name:"parallel_tool_calls",kind:"boolean"},{name:"service_tier",kind:"choice",options:["auto","default","flex","priority"]},{name:"store",kind:"boolean"},{name:"user",kind:"text"},{name:"metadata",kind:"json",accepts:"object"},{name:"models",kind:"lines",hint:"Models to try after the first, one per line"},{name:"other",label:"other members",kind:"json",accepts:"object",hint:"Any further members of the body, such as top_k"},{name:"x-sluice-strict",kind:"boolean",hint:"Reject the request if a parameter would be ignored"},{name:"x-sluice-deadline-ms",kind:"integer",min:1,max:999999999},{name:"x-sluice-tags",kind:"text",hint:"For usage reports, separated by commas"}],yn=new Map([...ht,...we].map(e=>[e.name,e]));function $t(e){return yn.get(e)}function ve(e,t){if(t.trim()==="")return{};switch(e.kind){case"number":case"integer":return Io(e,t.trim());case"boolean":return t==="true"||t==="false"?{value:t==="true"}:{error:"Must be true or false"};case"lines":return{value:t.split(`
`).filter(n=>n!=="")};case"format":case"json":return wn(e,t);default:return{value:t.trim()}}}function Io({kind:e,min:t,max:n},s){let r=/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(s)?Number(s):NaN;return Number.isFinite(r)&&(e==="number"||Number.isInteger(r))&&(t===void 0||r>=t)&&(n===void 0||r<=n)?e==="integer"&&!Number.isSafeInteger(r)?{error:"Must be between -2^53 and 2^53"}:{value:r}:{error:`Must be ${gt({kind:e,min:t,max:n})}`}}function gt({kind:e,min:t,max:n}){let s=e==="integer"?"a whole number":"a number";return t!==void 0&&n!==void 0?`${s} from ${t} to ${n}`:t!==void 0?`${s} of at least ${t}`:s}function wn({accepts:e},t){let n=$e(t);if("error"in n)return n;let{value:s}=n;return(Array.isArray(s)?"list":s===null?"null":typeof s)===e?{value:s}:{error:`Must be ${e==="object"?"a JSON object":"a JSON list"}`}}function Pe(e){let t=new Map,n=new Map;for(let[s,o]of yn){let r=ve(o,e[s]??"");"error"in r?n.set(s,r.error):"value"in r&&t.set(s,r.value)}return{values:t,errors:n}}function oe(e){if(e.trim()==="")return{};let t=wn({accepts:"list"},e);if("error"in t)return t;for(let[n,s]of t.value.entries()){let o=No(s);if(o!==void 0)return{error:`Tool ${n+1}: ${o}`}}return t.value.length===0?{}:t}function No(e){if(!he(e))return"must be an object";if(typeof e.type!="string")return`'type' is missing, such as "function"`;if(e.type!=="function")return;if(!he(e.function))return"'function' is missing";let{name:t}=e.function;return typeof t=="string"&&t!==""?void 0:"'function.name' is missing"}var Q=new Map([["text",'{ "type": "text" }'],["json_object",'{ "type": "json_object" }'],["json_schema",JSON.stringify({type:"json_schema",json_schema:jo()},null,2)]]);function jo(){return{name:"city",strict:!0,schema:{type:"object",properties:{city:{type:"string"},country:{type:"string"}},required:["city","country"],additionalProperties:!1}}}function ke(e){if(e.trim()==="")return"";let t=$e(e).value?.type;return Q.has(t)?t:"json_schema"}var fe=JSON.stringify([{type:"function",function:{name:"get_weather",description:"The current weather of a city",parameters:{type:"object",properties:{city:{type:"string"},unit:{enum:["celsius","fahrenheit"]}},required:["city"]}}}],null,2);function vn(e,t){let n=e.trim()===""?[]:[{role:"system",content:e}];for(let{user:s,steps:o}of t){n.push(Lo(s));for(let r of o)n.push(...Po(r))}return n}function Lo({text:e,images:t}){if(t.length===0)return{role:"user",content:e};let n=t.map(({url:s})=>({type:"image_url",image_url:{url:s}}));return{role:"user",content:e===""?n:[{type:"text",text:e},...n]}}function Po(e){let t=e.toMessage();if(t===void 0)return[];let n=(t.tool_calls??[]).map(({id:s})=>({role:"tool",tool_call_id:s,content:e.toolAnswers.get(s)??""}));return[t,...n]}var kn=["temperature","max_tokens","reasoning_effort"],qo=["tool_choice","parallel_tool_calls"];function bt({system:e,parameters:t,tools:n,stream:s,streamUsage:o},{own:r={}}){let i={...t};for(let[a,l]of Object.entries(r.parameters??{}))l.trim()!==""&&(i[a]=l,a==="max_tokens"&&delete i.max_completion_tokens);if(r.tools===!1)for(let a of qo)delete i[a];return{system:r.system??e,parameters:i,stream:s,streamUsage:o,tools:r.tools===!1?"":n}}function xn({own:e={}}){return[...e.system===void 0?[]:["own system message"],...Object.entries(e.parameters??{}).filter(([,t])=>t.trim()!=="").map(([t,n])=>`${t} ${n.trim()}`),...e.tools===!1?["no tools"]:[]]}function yt({parameters:e,tools:t,stream:n,streamUsage:s}){let{values:o,errors:r}=Pe(e),i={},a={},l=oe(t);"error"in l&&r.set("tools",l.error),n&&(i.stream=!0,s&&(i.stream_options={include_usage:!0,include_cost:!0})),l.value!==void 0&&(i.tools=l.value);for(let[u,d]of o)u.startsWith("x-sluice-")?a[u]=String(d):u==="other"?Object.assign(i,d):i[u]=u==="tool_choice"?Do(d):d;return a["x-sluice-strict"]==="false"&&delete a["x-sluice-strict"],{members:i,headers:a,errors:r}}var Fo=new Set(["auto","none","required"]);function Do(e){return Fo.has(e)?e:{type:"function",function:{name:e}}}function Sn(e,t,n){return{model:e,messages:t,...n}}var Fe=class{#a;#s=[];#e=[];#t=[];#n=new Map;#i=new Map;finishReason=null;usage=null;model=null;hasReasoning=!1;constructor(t=()=>{}){this.#a=t}addChunk({model:t,choices:n,usage:s}){typeof t=="string"&&(this.model=t),s&&(this.usage=s);let o=Array.isArray(n)?n.find(({index:r})=>!r):void 0;o!==void 0&&(this.#c(o.delta??{}),o.finish_reason&&(this.finishReason=o.finish_reason))}addCompletion({model:t,choices:n,usage:s}){let[o]=Array.isArray(n)?n:[];this.addChunk({model:t,usage:s,choices:[{...o,index:0,delta:o?.message}]})}#c({content:t,reasoning_content:n,reasoning_details:s,refusal:o,tool_calls:r}){this.#l("reasoning",this.#e,n),this.#l("content",this.#s,t),this.#l("refusal",this.#t,o),Array.isArray(r)&&r.forEach((i,a)=>this.#r(i,i.index??a)),Array.isArray(s)&&s.forEach((i,a)=>this.#o(i,i.index??a))}#l(t,n,s){typeof s!="string"||s===""||(t==="reasoning"&&(this.hasReasoning=!0),n.push(s),this.#a(t,s))}#r({index:t,id:n,type:s,function:o,custom:r,...i},a){let l=this.#n.get(a);l===void 0&&(l={id:"",type:"function",name:"",input:[],others:{}},this.#n.set(a,l)),n&&(l.id=n),s&&(l.type=s);let u=o??r??{};u.name&&(l.name=u.name);let d=u.arguments??u.input;typeof d=="string"&&d!==""&&l.input.push(d),this.#a("call",d??""),Object.assign(l.others,i)}#o({index:t,...n},s){let o=this.#i.get(s);if(o===void 0){this.#i.set(s,{...n});return}for(let[r,i]of Object.entries(n)){let a=(r==="text"||r==="summary")&&typeof o[r]=="string";o[r]=a&&typeof i=="string"?o[r]+i:i}}get content(){return qe(this.#s)}get reasoning(){return qe(this.#e)}get refusal(){return qe(this.#t)}get toolCalls(){return[...this.#n.values()].map(({id:t,type:n,name:s,input:o,others:r})=>{let i=qe(o);return n==="custom"?{id:t,type:n,custom:{name:s,input:i},...r}:{id:t,type:n,function:{name:s,arguments:i},...r}})}toMessage(){let{content:t,refusal:n,toolCalls:s}=this;if(t===""&&n===""&&s.length===0)return;let o=[...this.#i.values()];return{role:"assistant",content:t===""?null:t,...n!==""&&{refusal:n},...s.length>0&&{tool_calls:s},...o.length>0&&{reasoning_details:o}}}};function qe(e){return e.length>1&&e.splice(0,e.length,e.join("")),e[0]??""}function xe(e){let t=n=>{let s=e.get(n);return s===null||s===""?null:Number(s)};return{requestId:e.get("x-request-id"),provider:e.get("x-sluice-provider"),model:e.get("x-sluice-model"),attempts:t("x-sluice-attempts"),overheadMs:t("x-sluice-overhead-ms"),cost:t("x-sluice-cost-usd"),upstreamRequestId:e.get("x-sluice-upstream-request-id"),cache:e.get("x-sluice-cache"),ignored:Cn(e.get("x-sluice-ignored")),converted:Cn(e.get("x-sluice-converted"))}}function Cn(e){return e===null?[]:e.split(", ").filter(t=>t!==""&&!/^and \d+ more$/.test(t))}function wt({ignored:e,converted:t}){let n=e.map(o=>({parameter:o,fate:"ignored"})),s=t.map(o=>{let r=o.indexOf(" "),i=o.indexOf("->");return r!==-1&&r<i?{parameter:o.slice(0,r),fate:"converted",change:o.slice(r+1)}:i===-1?{parameter:o,fate:"converted"}:{parameter:o.slice(0,i),fate:"renamed",to:o.slice(i+2)}});return[...n,...s]}function On(e,t){if(t===null)return e;let n=new Map(wt(t).map(o=>[o.parameter,o]));return[...e.map(o=>{let r=n.get(o.parameter);return n.delete(o.parameter),o.fate==="as is"&&r!==void 0?{...r,rule:Bo}:o}),...n.values()]}var Bo="the vendor rejected it unchanged",_n=["ignored","converted","renamed","added","as is"];function En(e){return e.toSorted((t,n)=>_n.indexOf(t.fate)-_n.indexOf(n.fate))}function Rn({targets:e},t){let n=e.findIndex(({provider:s,model:o})=>s===t?.provider&&o===t?.model);return Math.max(0,n)}function Tn({target:e,attempts:t,state:n,headers:s}){if(n==="preview")return"";if(s?.cache==="hit")return"answered by the response cache";if(e===null)return"";let o=`${e.provider} / ${e.model}`;return n==="failed"?t>1?`failed at ${o} after ${t} attempts`:`failed at ${o}`:t>1?`answered by ${o} after ${t} attempts`:`answered by ${o}`}var An=400;function Mn(e){return JSON.stringify(e,(t,n)=>typeof n=="string"&&n.length>An?`${n.slice(0,An/2)}\u2026 (${n.length} characters)`:n,2)??""}var In="/v1/chat/completions",Uo=[60,200,500,1e3,2e3,4e3,8e3],Wo=50,Ho=["error","explanation","explanationError","fold","headers","isRestored","record","requestId","state","startedAt","firstTextAt","endedAt"];function vt(){let e=crypto.getRandomValues(new Uint8Array(12));return`req_${Array.from(e,t=>t.toString(16).padStart(2,"0")).join("")}`}var Ko=0,Z=class e{id=++Ko;state="waiting";error=null;headers=null;explanation=null;explanationError=null;record=null;isRestored=!1;toolAnswers=new Map;requestId=vt();startedAt=performance.now();firstTextAt=null;endedAt=null;version=0;#a=new Set;#s=new Set;#e=new AbortController;#t=!1;constructor(t){this.request=t,this.fold=new Fe((n,s)=>this.#c(n,s))}async start(){let{body:t,headers:n}=this.request;try{let s=await le(In,{body:t,headers:{...n,"x-request-id":this.requestId},signal:this.#e.signal});this.#l(s.headers),await this.#n(s),this.#r("done")}catch(s){s.headers?.has("x-request-id")&&this.#l(s.headers),this.#e.signal.aborted||(this.error=s),this.#r(this.#e.signal.aborted?"stopped":"failed")}await this.#i()}copy(){let t=new e(this.request);for(let n of Ho)t[n]=this[n];return t.toolAnswers=new Map(this.toolAnswers),this.record===null&&!this.isRestored&&t.#i(),t}async explain(){if(this.#t||this.isRestored)return;this.#t=!0;let{body:t,headers:n}=this.request;try{let s={...n,"x-sluice-explain":"true"};this.explanation=await R(In,{body:t,headers:s})}catch(s){this.explanationError=s}this.#o()}stop(){this.isOpen&&this.#e.abort()}get isOpen(){return this.state==="waiting"||this.state==="streaming"}toMessage(){return this.fold.toMessage()}async#n(t){let{fold:n}=this;if(!(t.headers.get("content-type")??"").startsWith("text/event-stream")){n.addCompletion(await t.json());return}let s=!1;if(await en(t,({data:o})=>{if(o==="[DONE]"){s=!0;return}let r=JSON.parse(o),i=zt(r,{requestId:t.headers.get("x-request-id"),headers:t.headers});if(i!==void 0)throw i;n.addChunk(r)}),!s)throw new Error("The stream ended before the answer was complete")}async#i(){for(let t of Uo){await new Promise(n=>setTimeout(n,t));try{this.record=await R(`/v1/requests/${this.requestId}`);break}catch(n){if(n.status!==404)break}}this.#o()}#c(t,n){this.firstTextAt===null&&(this.firstTextAt=performance.now(),this.state="streaming",this.#o());for(let s of this.#s)s(t,n)}#l(t){this.headers=xe(t),this.#o()}#r(t){this.endedAt=performance.now(),this.state=t,this.#o()}answerTool(t,n){this.toolAnswers.set(t,n),this.#o()}onChange(t){return this.#a.add(t),()=>this.#a.delete(t)}onText(t){return this.#s.add(t),()=>this.#s.delete(t)}#o(){this.version++;for(let t of this.#a)t()}get timing(){let{startedAt:t,firstTextAt:n,endedAt:s}=this,o=this.request.body.stream===!0,r=s===null?null:s-t,i=this.fold.usage?.completion_tokens,a=s===null||n===null?0:s-n,l=o&&i>0&&a>=Wo?i/(a/1e3):null;return{first:o&&n!==null?n-t:null,total:r,speed:l}}get target(){let{headers:t,record:n}=this;return t?.provider?{provider:t.provider,model:t.model??""}:n?.provider?{provider:n.provider,model:n.upstream??""}:null}get attempts(){return this.headers?.attempts??this.record?.attempt_count??null}get cost(){let t=this.fold.usage?.cost??this.headers?.cost??this.record?.cost_usd??null;return typeof t=="number"?t:null}};var U=new Map([["images",{title:"Image",path:"/v1/images/generations",verb:"Create",fields:[{name:"prompt",kind:"long",isRequired:!0,placeholder:"What the image shows"},{name:"size",kind:"text",hint:"Such as 1024x1024"},{name:"quality",kind:"text",hint:"Such as low, medium or high"},{name:"n",kind:"integer",min:1,max:10}]}],["speech",{title:"Speech",path:"/v1/audio/speech",verb:"Speak",fields:[{name:"input",kind:"long",isRequired:!0,placeholder:"The text to speak"},{name:"voice",kind:"text",isRequired:!0},{name:"instructions",kind:"text"},{name:"speed",kind:"number",min:.25,max:4,step:.25},{name:"response_format",kind:"choice",options:["mp3","wav","opus","aac","flac"]}]}],["transcription",{title:"Transcription",path:"/v1/audio/transcriptions",verb:"Transcribe",takesFile:!0,fields:[{name:"language",kind:"text",hint:"Such as en"},{name:"prompt",kind:"text",hint:"Names and words that occur"},{name:"temperature",kind:"number",min:0,max:1,step:.1}]}],["rerank",{title:"Rerank",path:"/v1/rerank",verb:"Rank",fields:[{name:"query",kind:"long",isRequired:!0,placeholder:"What is looked for"},{name:"documents",kind:"lines",isRequired:!0,hint:"One document per line",placeholder:"The texts to rank"},{name:"top_n",kind:"integer",min:1}]}]]);function Nn(e){return e==="speech"?{voice:"alloy"}:{}}function De(e,{model:t,texts:n,file:s}){let{fields:o,takesFile:r}=U.get(e),i={model:t},a=new Map;t.trim()===""&&a.set("model","Choose a model"),r&&s===null&&a.set("file","Choose a file");for(let l of o){let{name:u,isRequired:d}=l,p=ve(l,n[u]??"");"error"in p?a.set(u,p.error):"value"in p?i[u]=p.value:d&&a.set(u,"Must not be empty")}return{body:i,errors:a}}function jn(e,t){let n=new FormData;for(let[s,o]of Object.entries(e))n.append(s,String(o));return n.append("file",t),n}function Ln({results:e=[]},t){return e.map(({index:n,relevance_score:s})=>({index:n,score:s,text:t[n]??""}))}var Jo=[["/9j/","image/jpeg"],["UklGR","image/webp"],["R0lGOD","image/gif"]];function Pn({data:e=[]}){return e.map(({b64_json:t,url:n,revised_prompt:s})=>{if(typeof t!="string")return{url:String(n),isData:!1,prompt:s};let[,o]=Jo.find(([r])=>t.startsWith(r))??["","image/png"];return{url:`data:${o};base64,${t}`,isData:!0,prompt:s}})}var Ue=4,Xo=0;function ie(){return++Xo}function qn(){return{columns:[{id:ie(),model:""}],kind:"chat",media:Object.fromEntries([...U.keys()].map(e=>[e,{model:"",texts:Nn(e),file:null,run:null}])),system:"",turns:[],draft:{text:"",images:[]},parameters:{},tools:"",stream:!0,streamUsage:!0,selected:null,panel:"chat"}}var re=qn(),Be=new Set;function S(){return re}function We(e){return Be.add(e),()=>Be.delete(e)}function k(e){re={...re,...typeof e=="function"?e(re):e};for(let t of Be)t()}function J(e,t){k(({media:n})=>({media:{...n,[e]:{...n[e],...t}}}))}function Fn(){let{media:e}=re;for(let t of[...ae(re),...Object.values(e).map(({run:n})=>n)])t?.stop();re=qn();for(let t of Be)t()}function ae({turns:e}){return e.flatMap(({runs:t})=>[...t.values()].flat())}function Go(e,t){return e.map(({user:n,runs:s})=>({user:n,steps:s.get(t)??[]}))}function He(e,t){let n=bt(S(),e),{members:s,headers:o,errors:r}=yt(n);if(r.size>0){let[[a,l]]=r;throw new RangeError(`${a}: ${l}`)}let i=vn(n.system,Go(t,e.id));return{model:e.model,body:Sn(e.model,i,s),headers:o}}function Ke(e){if(e.columns.some(({model:t})=>t.trim()===""))return"Choose a model";for(let t of e.columns){let{errors:n}=yt(bt(e,t));if(n.size>0)return`Correct '${[...n.keys()][0]}' in the parameters`}if(ee(e))return"An answer is being written"}function ee(e){return ae(e).some(t=>t.isOpen)}function Je(){let{draft:e,turns:t}=S();if(e.text===""&&e.images.length===0)return;let n={id:ie(),user:e,runs:new Map};k({draft:{text:"",images:[]},turns:[...t,n]}),Xe(n.id)}function Xe(e){let{columns:t,turns:n}=S(),s=n.findIndex(a=>a.id===e),o=n.slice(0,s),r={...n[s],runs:new Map},i=t.map(a=>new Z(He(a,[...o,r])));t.forEach((a,l)=>r.runs.set(a.id,[i[l]])),k({turns:[...o,r],selected:i[0]});for(let a of i)Wn(a)}function Dn(e,t){Un(e,t,n=>n)}function Bn(e,t){Un(e,t,n=>n.slice(0,-1))}function Un(e,t,n){let{columns:s,turns:o}=S(),r=s.find(({id:d})=>d===t),i=o.findIndex(({id:d})=>d===e),a=n(o[i].runs.get(t)??[]),l={...o[i],runs:new Map([[t,a]])},u=new Z(He(r,[...o.slice(0,i),l]));Vn(e,t,[...a,u]),k({selected:u}),Wn(u)}function Wn(e){e.start().catch(n=>reportError(n));let t=e.onChange(()=>{e.isOpen||(t(),k({}))})}function kt(){let e=new Z(St());e.state="preview",xt(e)}function xt(e){k({selected:e,panel:"receipt"})}function Hn(e){let{columns:t,turns:n}=S();if(t.length>=Ue||ee(S()))return;let[s]=t,o=new Set(t.map(({model:i})=>i)),r={id:ie(),model:e.find(({id:i})=>!o.has(i))?.id??s.model};k({columns:[...t,r],turns:n.map(i=>{let a=(i.runs.get(s.id)??[]).map(l=>l.copy());return{...i,runs:new Map(i.runs).set(r.id,a)}})})}function St(e){let{columns:t,draft:n,turns:s}=S(),o=t.find(({id:l})=>l===e)??t[0],r=n.text===""&&n.images.length===0,i=s.at(-1)?.runs.get(o.id)??[],a=i.at(-1);if(r&&a!==void 0&&!a.isRestored)return a.request;if(r&&a!==void 0){let l=new Map([[o.id,i.slice(0,-1)]]);return He(o,[...s.slice(0,-1),{...s.at(-1),runs:l}])}return He(o,[...s,{user:n,runs:new Map}])}function Ge(){for(let e of ae(S()))e.stop()}function Kn(e,t){Yn(e,n=>({...n,user:t}))}function Jn(e){let{turns:t}=S();ae({turns:t.filter(n=>n.id===e)}).forEach(n=>n.stop()),k({turns:t.filter(n=>n.id!==e)})}function Xn(e,t,n){n.stop();let{runs:s}=S().turns.find(({id:o})=>o===e);Vn(e,t,(s.get(t)??[]).filter(o=>o!==n))}function Gn(){Ge(),k({turns:[],selected:null})}function Vn(e,t,n){Yn(e,s=>({...s,runs:new Map(s.runs).set(t,n)}))}function Yn(e,t){k(({turns:n})=>({turns:n.map(s=>s.id===e?t(s):s)}))}var Ct=["image/png","image/jpeg","image/webp","image/gif"],zn=1e7,Qn=2e7;function Vo({name:e,type:t,size:n},s){if(!Ct.includes(t))return`'${e}' is ${t||"of an unknown type"}: use PNG, JPEG, WebP or GIF`;if(n>zn)return`'${e}' is ${G(n)}: the limit of an image is ${G(zn)}`;if(s+n>Qn)return`'${e}' is too much: the limit of a message's images is ${G(Qn)}`}var Zn=12,Yo=[["image/png",/^\x89PNG\r\n/],["image/jpeg",/^\xff\xd8\xff/],["image/gif",/^GIF8[79]a/],["image/webp",/^RIFF[^]{4}WEBP/]];function zo(e){let t=String.fromCharCode(...e.subarray(0,Zn));return Yo.find(([,n])=>n.test(t))?.[0]}async function es(e,t){let n=t.reduce((r,{size:i})=>r+i,0),s=[],o=[];for(let r of e){let i=Vo(r,n);if(i!==void 0){o.push(i);continue}n+=r.size;try{let a=new Uint8Array(await r.slice(0,Zn).arrayBuffer()),l=zo(a);if(l===void 0){o.push(`'${r.name}' is not an image: its content is none of PNG, JPEG, WebP and GIF`),n-=r.size;continue}let u=r.type===l?r:new Blob([r],{type:l});s.push({name:r.name||"image",size:r.size,url:await Qo(u)})}catch{o.push(`'${r.name}' cannot be read`)}}return{images:s,faults:o}}function Qo(e){let{promise:t,resolve:n,reject:s}=Promise.withResolvers(),o=new FileReader;return o.onload=()=>n(o.result),o.onerror=()=>s(o.error),o.readAsDataURL(e),t}function Ve({message:e,onChange:t,label:n,placeholder:s,inputRef:o,children:r}){let i=_(null),a=_(e);a.current=e;let[l,u]=g([]),[d,p]=g(!1);x(()=>u($=>$.length===0?$:[]),[e.images.length,e.text===""]);let f=async $=>{let v=await es($,a.current.images);if(v.images.length>0){let{text:b,images:w}=a.current;t({text:b,images:[...w,...v.images]})}setTimeout(()=>u(v.faults))},m=$=>{let v=[...$.clipboardData?.files??[]];v.length!==0&&($.preventDefault(),f(v))};return c`
    <div
      class=${`editor ${d?"over":""}`}
      onDrop=${$=>{p(!1);let v=[...$.dataTransfer?.files??[]];v.length!==0&&($.preventDefault(),f(v))}}
      onDragOver=${$=>{[...$.dataTransfer?.types??[]].includes("Files")&&($.preventDefault(),p(!0))}}
      onDragLeave=${()=>p(!1)}
    >
      <${_t}
        images=${e.images}
        onRemove=${$=>t({...e,images:e.images.filter(v=>v!==$)})}
      />
      <textarea
        ref=${o}
        class="growing"
        rows="2"
        aria-label=${n}
        placeholder=${s}
        value=${e.text}
        onInput=${$=>t({...e,text:$.target.value})}
        onPaste=${m}
      ></textarea>
      ${l.length>0&&c`
        <div class="fault" role="alert">${l.map($=>c`<p key=${$}>${$}</p>`)}</div>
      `}
      <div class="editor-tools">
        <input
          ref=${i}
          type="file"
          class="only-read"
          tabindex="-1"
          aria-label="Add images"
          multiple
          accept=${Ct.join(",")}
          onChange=${async $=>{await f([...$.target.files]),$.target.value=""}}
        />
        <${O}
          icon="image"
          label="Add images (or paste, or drop them here)"
          onClick=${()=>i.current.click()}
        />
        ${r}
      </div>
      ${d&&c`<div class="drop-note"><${M} name="image" />Drop images here</div>`}
    </div>
  `}function _t({images:e,onRemove:t}){return e.length===0?null:c`
    <ul class="thumbnails" aria-label="Images">
      ${e.map((n,s)=>c`
          <li key=${s}>
          ${n.url.startsWith("data:image/")?c`<img src=${n.url} alt=${n.name} title=${`${n.name}, ${G(n.size)}`} />`:c`<span class="mono small wrap-anywhere">${n.url}</span>`}
            ${t&&c`
              <${O}
                icon="close"
                class="small"
                label=${`Remove ${n.name}`}
                onClick=${()=>t(n)}
              />
            `}
          </li>
        `)}
    </ul>
  `}function ts({state:e}){let t=_(null),[n,s]=g(""),{columns:o,draft:r}=e,i=ee(e),a=Ke(e),l=r.text===""&&r.images.length===0,u=f=>{s("");try{f()}catch(m){s(m.message)}},d=()=>{if(a!==void 0)return i||s(a);u(Je),t.current?.focus()},p=_(null);return p.current=f=>{f.key==="Escape"&&document.querySelector("dialog[open]")===null&&Ge(),!(f.key!=="Enter"||!(f.ctrlKey||f.metaKey))&&(f.defaultPrevented||(f.preventDefault(),f.shiftKey?u(kt):d()))},x(()=>{let f=m=>p.current(m);return addEventListener("keydown",f),()=>removeEventListener("keydown",f)},[]),c`
    <div class="composer">
      <${Ve}
        message=${r}
        onChange=${f=>k({draft:f})}
        label="Message"
        placeholder=${o.length===1?"Message":`Message to all ${o.length} models`}
        inputRef=${t}
      >
        <${Zo} state=${e} />
        <span class="grow"></span>
        <button type="button" class="quiet" title="Show what would be sent, without sending it (Ctrl Shift Enter)"
          onClick=${()=>u(kt)}>Preview</button>
        ${i?c`<button type="button" class="danger" onClick=${Ge}>
              <${M} name="stop" />Stop
            </button>`:c`
            <button type="button" class="primary" title="Ctrl Enter" disabled=${l}
              onClick=${d}>
                          <${M} name="send" />Send
                        </button>
          `}
      <//>
      ${n!==""&&c`
        <div class="error-box row spread" role="alert">
          ${n}
          <${O} icon="close" class="small" label="Close" onClick=${()=>s("")} />
        </div>
      `}
    </div>
  `}function Zo({state:{parameters:e,tools:t}}){let n=oe(t).value?.length??0,s=e.response_format??"",o=(a,l)=>{k({panel:"settings",...a}),requestAnimationFrame(()=>document.querySelector(l)?.focus())},r=()=>o(t===""?{tools:fe}:{},"#tools"),i=()=>{let a=Q.get("json_schema"),l=ke(s)==="json_schema";o(l?{}:{parameters:{...e,response_format:a}},"[aria-label='response_format as JSON']")};return c`
    <button type="button" class="quiet" onClick=${r}>Tools${n>0?` ${n}`:""}</button>
    <button type="button" class="quiet phone-hidden" onClick=${i}>JSON schema</button>
  `}var er=[{title:"Ask a question",about:"A first answer, streamed",text:"What does a model gateway do? Answer in two sentences."},{title:"Call a tool",about:"The model calls a function; you answer in its place",text:"What is the weather in Reykjavik? Use get_weather.",tools:fe},{title:"Fill a JSON schema",about:"An answer that fits response_format",text:"Describe Lisbon.",parameters:{response_format:Q.get("json_schema")}},{title:"See what is ignored",about:"Parameters that a vendor does not support stay visible in the receipt",text:"Say hello.",parameters:{temperature:"0.7",seed:"42",logit_bias:'{ "50256": -100 }'}},{title:"Strict mode",about:"Nothing is dropped: the request is rejected with a reason",text:"Say hello.",parameters:{seed:"42","x-sluice-strict":"true"}}];function ns(){return c`
    <div class="start">
      <h2>Try a model</h2>
      <p class="soft">
        Write a message below, or start with one of these. The receipt shows how the gateway handled each
        request.
      </p>
      <ul class="example-list">
        ${er.map(e=>c`
            <li key=${e.title}>
              <button type="button" onClick=${()=>tr(e)}>
                <strong>${e.title}</strong>
                <span class="soft small">${e.about}</span>
              </button>
            </li>
          `)}
      </ul>
    </div>
  `}function tr({text:e,tools:t="",parameters:n={}}){k({parameters:n,tools:t,draft:{text:e,images:[]}}),Ke(S())===void 0&&Je()}function Ye(){let[,e]=g(S);return x(()=>{let t=()=>e(S()),n=We(t);return t(),n},[]),S()}function ze(e){let[,t]=g(e.version);return x(()=>{let n=()=>t(e.version),s=e.onChange(n);return n(),s},[e]),e}function ss(e){let t=()=>e.map(({version:s})=>s).join(),[,n]=g(t);x(()=>{let s=()=>n(t()),o=e.map(r=>r.onChange(s));return s(),()=>o.forEach(r=>r())},[e.map(({id:s})=>s).join()])}var Qe=class{#a;#s;#e=[];#t=0;#n=0;constructor(t,n=()=>{}){this.#a=t,this.#s=n}get isIdle(){return this.#n===0}add(t){for(let n=0;n<t.length;n+=4e3)this.#e.push(t.slice(n,n+4e3));this.#n===0&&(this.#n=requestAnimationFrame(()=>this.#i()))}stop(){cancelAnimationFrame(this.#n),this.#n=0,this.#e=[],this.#t=0}#i(){let t="";for(;this.#t<this.#e.length&&t.length<4e3;)t+=this.#e[this.#t++];if(t!==""&&this.#a(t),this.#t<this.#e.length){this.#n=requestAnimationFrame(()=>this.#i());return}this.#e=[],this.#t=0,this.#n=0,this.#s()}};var nr=/^(?:https?:\/\/|mailto:)[^\s<>"]+$/i,At=/[`*_[\\$]|~~|https?:\/\//g,os=/[\p{L}\p{N}]/u;function te(e,t){let n=new Set,s=(i,a)=>{if(n.has(i))return-1;let l=t.indexOf(i,a);return l===-1&&n.add(i),l},o=0,r=i=>{i>o&&e.append(t.slice(o,i))};for(At.lastIndex=0;;){let i=At.exec(t);if(i===null)break;let a=i.index,l=sr(t,a,i[0],s);l!==void 0&&(r(a),e.append(l.node),o=l.end,At.lastIndex=l.end)}r(t.length)}function sr(e,t,n,s){switch(n){case"\\":return e[t+1]==="("||e[t+1]==="["?rs(e,t,s):/[\\`*_[\]#$~]/.test(e[t+1]??"")?{node:document.createTextNode(e[t+1]),end:t+2}:void 0;case"`":return or(e,t,s);case"*":case"_":return rr(e,t,n,s);case"~~":return ir(e,t,s);case"$":return rs(e,t,s);case"[":return lr(e,t,s);default:return cr(e,t)}}function or(e,t,n){let s=e[t+1]==="`"?"``":"`",o=n(s,t+s.length);if(!(o<=t+s.length))return{node:Se("code",e.slice(t+s.length,o).trim()),end:o+s.length}}function rr(e,t,n,s){let o=e[t+1]===n,r=o?n+n:n,i=t+r.length;if(/\s/.test(e[i]??" ")||n==="_"&&os.test(e[t-1]??""))return;let a=s(r,i+1);if(a===-1||/\s/.test(e[a-1])||n==="_"&&os.test(e[a+r.length]??""))return;let l=e.slice(i,a);if(!l.includes(`

`))return{node:Se(o?"strong":"em",l),end:a+r.length}}function ir(e,t,n){if(/\s/.test(e[t+2]??" "))return;let s=n("~~",t+3);if(!(s===-1||/\s/.test(e[s-1])))return{node:Se("s",e.slice(t+2,s)),end:s+2}}var ar=[["$$","$$"],["$","$"],["\\(","\\)"],["\\[","\\]"]];function rs(e,t,n){let[s,o]=ar.find(([l])=>e.startsWith(l,t)),r=t+s.length;if(s==="$"&&/[\s\d]/.test(e[r]??" "))return;let i=n(o,r+1);if(i===-1||s==="$"&&/\s/.test(e[i-1]))return;let a=Se("code",e.slice(r,i).trim());return a.className="formula",{node:a,end:i+o.length}}function lr(e,t,n){let s=n("](",t+1);if(s===-1)return;let o=n(")",s+2);if(o===-1)return;let r=e.slice(t+1,s),i=e.slice(s+2,o);if(!(r===""||r.includes("[")||!nr.test(i)))return{node:as(r,i),end:o+1}}var is=/https?:\/\/[^\s<>"'`)\]]+/y;function cr(e,t){is.lastIndex=t;let n=is.exec(e)?.[0].replace(/[.,;:!?*_]{1,9}$/,"");if(!(n===void 0||!URL.canParse(n)))return{node:as(n,n),end:t+n.length}}function as(e,t){let n=Se("a",e);return n.href=t,n.target="_blank",n.rel="noopener noreferrer",n}function Se(e,t){let n=document.createElement(e);return n.textContent=t,n}var ur=/^[\s|:-]+$/;function cs(e){let[t,n,...s]=e;if(n===void 0||!ur.test(n)){let l=document.createElement("p");return e.forEach((u,d)=>{d>0&&l.append(`
`),te(l,u)}),l}let o=document.createElement("table"),r=us(n).map(dr);o.createTHead().append(ls(t,"th",r));let i=o.createTBody();for(let l of s)i.append(ls(l,"td",r));let a=document.createElement("div");return a.className="table-scroll",a.append(o),a}function us(e){return e.trim().slice(1,-1).split("|").map(t=>t.trim())}function dr(e){let t=e.endsWith(":");return e.startsWith(":")?t?"center":"left":t?"right":""}function ls(e,t,n){let s=document.createElement("tr");return us(e).forEach((o,r)=>{let i=document.createElement(t);i.dir="auto",i.style.textAlign=n[r]??"",te(i,o),s.append(i)}),s}function ds(e){let t=document.createElement("input");return t.type="checkbox",t.disabled=!0,t.checked=e,t.setAttribute("aria-label",e?"Done":"To do"),t}function fs(e){let t=document.createElement("button");return t.type="button",t.className="quiet small copy-code",t.textContent="Copy",t.addEventListener("click",async()=>{let n=[...e.querySelectorAll("pre")].map(s=>s.textContent).join("");t.textContent=await Qt(n)?"Copied":"Cannot copy"}),t}var Ze=2e3,fr=16,pr=/^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/,mr=/^(#{1,6})\s+(.*?)\s*#*$/,hr=/^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/,$r=/^ {0,3}(?:-[ -]*-[ -]*-|\*[ *]*\*[ *]*\*|_[ _]*_[ _]*_)\s*$/,gr=/^ {0,3}> ?(.*)$/,br=/^\s*\|.*\|\s*$/,yr=/^\[([ xX])\]\s+/,et=class{#a;#s=null;#e="";#t=null;#n=[];#i=0;#c="";#l="";#r=null;#o=null;constructor(t){this.#a=t}write(t){let n=0;for(let s=t.indexOf(`
`);s!==-1;s=t.indexOf(`
`,n)){let o=this.#e+t.slice(n,s);this.#e="",this.#f(),this.#p(o.endsWith("\r")?o.slice(0,-1):o),n=s+1}n<t.length&&this.#m(t.slice(n))}end(){let t=this.#e;this.#e="",this.#f(),t!==""&&this.#p(t),this.#u()}#d(t){t.localName!=="figure"&&(t.dir="auto"),(this.#s===null||this.#s.childElementCount>=fr)&&(this.#s?.classList.add("complete"),this.#s=document.createElement("div"),this.#s.className="part",this.#a.append(this.#s)),this.#s.append(t)}#m(t){if(this.#e+=t,this.#e.length>Ze){this.#b();return}this.#t===null&&(this.#t=document.createElement(this.#r===null?"p":"span"),this.#t.append(""),this.#r===null?this.#d(this.#t):this.#r.append(this.#t)),this.#t.firstChild.appendData(this.#e.slice(this.#t.firstChild.length))}#b(){let t=this.#e;this.#e="",this.#f();for(let n=0;n<t.length;){let s=n+Ze;if(s>=t.length){this.#m(t.slice(n));return}let o=t.lastIndexOf(" ",s),r=o>n?o+1:s,i=t.slice(n,r);n=r,this.#r!==null?this.#r.append(i):(this.#p(i),this.#u())}}#f(){this.#t?.remove(),this.#t=null}#p(t){if(this.#r!==null){let i=this.#l;t.trimStart().startsWith(i)&&/^\s*[`~]+\s*$/.test(t)?this.#u():this.#v(`${t}
`);return}let n=pr.exec(t);if(n!==null)return this.#w(n[1],n[2]);if(t.trim()==="")return this.#u();let s=mr.exec(t);if(s!==null)return this.#$(`h${s[1].length}`,s[2]);if($r.test(t))return this.#$("hr","");let o=hr.exec(t);if(o!==null)return this.#y(o);let r=gr.exec(t);if(r!==null)return this.#h("quote",r[1]);this.#h(br.test(t)?"table":"text",t)}#h(t,n){if(this.#o!==null&&t==="text"&&/^\s{2}/.test(n)){let o=this.#o.lastElementChild;return o.append(" "),te(o,n.trim())}if((this.#c!==t||this.#i>Ze)&&this.#u(),this.#c=t,this.#n.push(n),this.#i+=n.length,t==="table")return;this.#n.length===1&&this.#d(document.createElement(t==="quote"?"blockquote":"p"));let s=this.#s.lastElementChild;this.#n.length>1&&s.append(`
`),te(s,n)}#$(t,n){this.#u();let s=/^h\d$/.test(t),o=document.createElement(s?"p":t);s&&(o.className=`heading heading-${t.slice(1)}`,o.setAttribute("role","heading"),o.setAttribute("aria-level",String(Math.min(6,Number(t.slice(1))+3))),te(o,n)),this.#d(o)}#y([,t,n,s,o]){let r=n===void 0?"ol":"ul";(this.#o?.localName!==r||this.#o.childElementCount>=wr)&&(this.#u(),this.#o=document.createElement(r),s!==void 0&&(this.#o.start=Number(s)),this.#d(this.#o));let i=document.createElement("li");i.dir="auto";let a=Math.min(4,Math.floor(t.length/2));a>0&&(i.className=`depth-${a}`);let l=n===void 0?null:yr.exec(o);l!==null&&i.append(ds(l[1]!==" ")),te(i,l===null?o:o.slice(l[0].length)),l!==null&&i.classList.add("task"),this.#o.append(i)}#w(t,n){this.#u();let s=document.createElement("figure"),o=document.createElement("figcaption");o.append(n||"text",fs(s)),s.append(o),this.#d(s),this.#l=t,this.#g(s)}#g(t){this.#r=document.createElement("pre"),this.#r.tabIndex=0,this.#i=0,t.append(this.#r)}#v(t){this.#i>Ze&&this.#g(this.#r.parentElement),this.#r.append(t),this.#i+=t.length}#u(){this.#c==="table"&&this.#d(cs(this.#n)),this.#c="",this.#n=[],this.#i=0,this.#r=null,this.#o=null}},wr=100;function Ot({run:e,part:t,class:n=""}){let s=_(null);return x(()=>{let o=s.current;o.replaceChildren();let r=new et(o),i=!1,a=()=>{i||e.isOpen||(i=!0,r.end())},l=new Qe(f=>r.write(f),a),u=e.fold[t];u!==""&&l.add(u);let d=e.onText((f,m)=>f===t&&l.add(m)),p=e.onChange(()=>l.isIdle&&a());return l.isIdle&&a(),()=>{d(),p(),l.stop()}},[e,t]),c`<div ref=${s} class=${`text ${n}`}></div>`}function ms({run:e,turnId:t,columnId:n,isLast:s}){let[o,r]=g("");if(e.isOpen)return null;let i=e.fold.toolCalls;if(i.length===0)return null;let a=e.state==="done"&&s,l=i.every(({id:d})=>(e.toolAnswers.get(d)??"")!=="");return c`
    <form class="tool-calls" onSubmit=${d=>{d.preventDefault(),r("");try{Dn(t,n)}catch(p){r(p.message)}}}>
      ${i.map((d,p)=>c`
          <${vr} key=${p} call=${d} run=${e} canAnswer=${a} />
        `)}
      ${a&&c`
        <div class="row">
          <button type="submit" class="primary small" disabled=${!l}>
            <${M} name="send" />Send ${i.length===1?"the result":"the results"}
          </button>
          <span class="hint">The model continues with your answer as the result of the tool.</span>
        </div>
      `}
      ${o!==""&&c`<p class="fault" role="alert">${o}</p>`}
    </form>
  `}function vr({call:e,run:t,canAnswer:n}){let{name:s,arguments:o,input:r}=e.function??e.custom,i=t.toolAnswers.get(e.id)??"",a=o!==void 0&&!kr(o);return c`
    <div class="tool-call">
      <p class="tool-name">
        <span class="badge accent">tool call</span>
        <strong class="mono wrap-anywhere">${s}</strong>
        ${a&&c`
          <span class="badge bad" title="Most tools cannot be called with them">
            arguments are not a JSON object
          </span>
        `}
        <span class="mono faint small wrap-anywhere">${e.id}</span>
      </p>
      <pre class="code-box" tabindex="0" aria-label=${`Arguments of ${s}`}>${xr(o??r)}</pre>
      ${(n||i!=="")&&c`
        <textarea
          class="code growing"
          rows="2"
          aria-label=${`Result of ${s}`}
          placeholder=${'Result, such as { "temperature": 21 }'}
          readonly=${!n}
          value=${i}
          onInput=${l=>t.answerTool(e.id,l.target.value)}
        ></textarea>
      `}
    </div>
  `}function kr(e){return e.trim()===""||he($e(e).value)}var ps=5e4;function xr(e){if(e.length>ps)return`${e.slice(0,ps)}\u2026`;try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}}function hs({run:e,turnId:t,columnId:n,...s}){let{isLast:o,isFastest:r,isCheapest:i,isSelected:a,isBusy:l}=s;ze(e);let[u,d]=g(""),{fold:p,state:f}=e,m=()=>{try{Bn(t,n)}catch(h){d(h.message)}};return c`
    <article class=${`answer ${a?"selected":""}`} aria-label=${`Answer of ${e.request.model}`}>
      <div class="message-head">
        <h3 class="wrap-anywhere">${e.request.model}</h3>
        <${Ar} run=${e} />
        ${r&&c`<span class="badge good">fastest</span>`}
        ${i&&c`<span class="badge good">cheapest</span>`}
        <span class="actions">
        ${e.isOpen?c`
            <${O}
              icon="stop"
              class="small danger"
              label="Stop this answer"
              onClick=${()=>e.stop()}
            />
          `:c`
            <${j} text=${()=>p.content} label="Copy the answer" isIcon />
            ${o&&c`
              <${O} icon="retry" class="small" label="Ask again" disabled=${l}
                onClick=${m} />
            `}
            <${O}
              icon="clear"
              class="small"
              label="Remove this answer"
              onClick=${()=>Xn(t,n,e)}
            />
          `}
        </span>
      </div>
      <${Or} run=${e} />
      <div class="answer-body">
        ${p.hasReasoning&&c`<${Rr} run=${e} />`}
        ${f==="waiting"&&c`<${Er} run=${e} />`}
        <${Ot} run=${e} part="content" class="content" />
        <${Tr} run=${e} />
        <${ms} run=${e} turnId=${t} columnId=${n} isLast=${o} />
      </div>
      ${e.error!==null&&c`<${A} error=${e.error} title=${Sr(e)} />`}
      ${u!==""&&c`<p class="fault" role="alert">${u}</p>`}
      <div class="answer-foot">
        <${Mr} run=${e} />
        <button
          type="button"
          class="quiet small"
          aria-pressed=${String(a)}
          onClick=${()=>xt(e)}
        ><${M} name="receipt" />Receipt</button>
      </div>
      <p class="only-read" role="status">${Ir(e)}</p>
    </article>
  `}function Sr({fold:e}){return e.content===""?"The request failed":"The answer was cut off"}var Cr={streaming:["accent","writing"],stopped:["warn","stopped"],failed:["bad","failed"]},_r=new Map([["length","warn"],["content_filter","bad"],["tool_calls","accent"]]);function Ar({run:{state:e,fold:t}}){let[n,s]=Cr[e]??[_r.get(t.finishReason)??"",t.finishReason];return s?c`<span class=${`badge ${n}`} title="How the answer ended">${s}</span>`:null}function Or({run:e}){let t=Tn(e);return t===""?null:c`<p class="answered soft small wrap-anywhere">${t}</p>`}function Er({run:e}){let[t,n]=g(performance.now());x(()=>{let o=setInterval(()=>n(performance.now()),100);return()=>clearInterval(o)},[]);let s=Math.max(0,(t-e.startedAt)/1e3).toFixed(1);return c`
    <p class="waiting soft"><span class="loading" aria-hidden="true"></span>Waiting ${s} s</p>
  `}function Rr({run:e}){let[t,n]=g(!1),s=e.fold.usage?.completion_tokens_details?.reasoning_tokens;return c`
    <details class="reasoning" onToggle=${o=>n(o.currentTarget.open)}>
      <summary>
        Reasoning${s>0&&c`<span class="faint"> ${T(s)} tokens</span>`}
      </summary>
      ${t&&c`<${Ot} run=${e} part="reasoning" />`}
    </details>
  `}function Tr({run:e}){let{refusal:t}=e.fold;return t===""||e.isOpen?null:c`
    <div class="refusal"><strong>Refused:</strong> <span class="plain-text">${t}</span></div>
  `}function Mr({run:e}){let{first:t,total:n,speed:s}=e.timing,{usage:o}=e.fold,r=o?.prompt_tokens_details?.cached_tokens,i=[t!==null&&["First token",N(t)],n!==null&&["Total",N(n)],s!==null&&["Tokens/s",s>=100?T(s):s.toFixed(1)],o&&["Tokens",`${T(o.prompt_tokens)} in, ${T(o.completion_tokens)} out`+(r>0?`, ${T(r)} cached`:"")],e.cost!==null&&["Cost",H(e.cost)]].filter(Boolean);return c`
    <${q} class="figures" facts=${i} />
  `}function Ir({state:e,fold:t,request:{model:n}}){switch(e){case"done":return`${n} has answered${t.toolCalls.length>0?" with tool calls":""}`;case"stopped":return`The answer of ${n} was stopped`;default:return""}}function gs(e){let t={fastest:-1,cheapest:-1};if(e.some(o=>o.some(({isOpen:r})=>r)))return t;let n=e.map(o=>o.at(-1)?.state==="done");if(n.filter(Boolean).length<2)return t;let s=o=>e.map((r,i)=>n[i]?Nr(r.map(o)):1/0);return{fastest:$s(s(({timing:o})=>o.total)),cheapest:$s(s(({cost:o})=>o))}}function Nr(e){return e.includes(null)?null:e.reduce((t,n)=>t+n,0)}function $s(e){if(e.includes(null))return-1;let t=Math.min(...e),n=e.indexOf(t);return n===e.lastIndexOf(t)?n:-1}function ws({turn:e,index:t,columns:n,selected:s,isBusy:o}){let r=n.map(({id:i})=>e.runs.get(i)??[]);return ss(r.flat()),c`
    <section class="turn" aria-label=${`Turn ${t+1}`}>
      <${Lr} turn=${e} isBusy=${o} />
      ${r.flat().length>0&&c`
        <${jr} ...${{turn:e,columns:n,answers:r,selected:s,isBusy:o}} />
      `}
    </section>
  `}function jr({turn:e,columns:t,answers:n,selected:s,isBusy:o}){let{fastest:r,cheapest:i}=gs(n),a=Math.max(...n.map(({length:l})=>l));return c`
    <div class="columns answers" style=${{"--columns":t.length,"--rows":a}}>
      ${t.map(({id:l},u)=>c`
          <div class="answer-column" key=${l}>
            ${n[u].map((d,p,f)=>{let m=p===f.length-1;return c`
                <${hs}
                  key=${d.id}
                  run=${d}
                  turnId=${e.id}
                  columnId=${l}
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
  `}function Lr({turn:e,isBusy:t}){let[n,s]=g(null),[o,r]=g(""),{user:i}=e;if(n!==null){let a=()=>{Kn(e.id,n),s(null)},l=()=>{a(),ys(()=>Xe(e.id),r)};return c`
      <div class="user-message editing" onKeyDown=${u=>{u.key==="Escape"&&(u.stopPropagation(),s(null)),!(u.key!=="Enter"||!(u.ctrlKey||u.metaKey))&&(u.preventDefault(),t||l())}}>
        <${Ve} message=${n} onChange=${s} label="Edit the message">
          <span class="grow"></span>
          <button type="button" class="quiet" onClick=${()=>s(null)}>Cancel</button>
          <button type="button" onClick=${a}>Save</button>
          <button type="button" class="primary" disabled=${t} onClick=${l}>
            Save and run
          </button>
          <//>
          </div>
    `}return c`
    <div class="user-message">
      <div class="message-head">
        <h3>User</h3>
        <span class="grow"></span>
        <${O}
          icon="retry"
          class="small"
          label="Run from here"
          disabled=${t}
          onClick=${()=>ys(()=>Xe(e.id),r)}
        />
        <${O}
          icon="edit"
          class="small"
          label="Edit this message"
          onClick=${()=>s(i)}
        />
        <${O}
          icon="clear"
          class="small"
          label="Remove this message and its answers"
          onClick=${()=>Jn(e.id)}
        />
      </div>
      <${_t} images=${i.images} />
      ${i.text!==""&&c`<${Pr} text=${i.text} />`}
      ${o!==""&&c`<p class="fault" role="alert">${o}</p>`}
    </div>
  `}var bs=4e3;function Pr({text:e}){let[t,n]=g(!1),s=e.length>bs&&!t;return c`
    <p class="plain-text">${s?`${e.slice(0,bs)}\u2026`:e}</p>
    ${s&&c`
      <button type="button" class="quiet small" onClick=${()=>n(!0)}>
        Show all ${e.length} characters
      </button>
    `}
  `}function ys(e,t){t("");try{e()}catch(n){t(n.message)}}function vs({state:e,isLoading:t}){return e.turns.length===0?c`<div class="conversation">${!t&&c`<${ns} />`}</div>`:c`<${qr} state=${e} />`}function qr({state:e}){let{columns:t,selected:n,turns:s}=e,o=ee(e),r=P(()=>s.map((u,d)=>c`
          <${ws}
            key=${u.id}
            turn=${u}
            index=${d}
            columns=${t}
            selected=${n}
            isBusy=${o}
          />
        `),[s,t,n,o]),{area:i,content:a,onScroll:l}=Dr(s.length);return c`
    <div class="conversation" ref=${i} onScroll=${l}>
      <div ref=${a}>
        <h2 class="only-read">Messages</h2>
        ${r}
        <div class="row conversation-end">
          <button type="button" class="quiet small" aria-keyshortcuts="Alt+Shift+X"
            onClick=${Gn}>
            <${M} name="clear" />Clear the conversation
          </button>
        </div>
      </div>
    </div>
  `}var Fr=48;function Dr(e){let t=_(null),n=_(null),s=_(!0),o=_(0),r=()=>{s.current&&t.current!==null&&(t.current.scrollTop=t.current.scrollHeight)},i=()=>{if(t.current===null)return;let{clientHeight:a,scrollHeight:l,scrollTop:u}=t.current;l-u-a<Fr?s.current=!0:u<o.current&&(s.current=!1),o.current=u};return x(()=>{let a=new ResizeObserver(r);return a.observe(n.current),()=>a.disconnect()},[]),x(()=>{s.current=!0,r()},[e]),{area:t,content:n,onScroll:i}}var Br=["model","messages","stream","stream_options","temperature","top_p","n","max_tokens","max_completion_tokens","stop","seed","frequency_penalty","presence_penalty","logit_bias","logprobs","top_logprobs","reasoning_effort","verbosity","response_format","tools","tool_choice","parallel_tool_calls","service_tier","store","user","metadata","modalities","audio","prediction"],Ur=["model","prompt","size","quality","n"],Wr=["model","input","voice","instructions","speed","response_format"],Hr=["model","language","prompt","temperature"],tt=new Map([["chat",{path:"/chat/completions",call:"chat.completions.create",known:new Set(Br),python:{whole:["print(answer.choices[0].message.content)"],stream:["for chunk in answer:","    if chunk.choices and chunk.choices[0].delta.content:",'        print(chunk.choices[0].delta.content, end="", flush=True)']},script:{whole:["console.log(answer.choices[0]?.message.content);"],stream:["for await (const chunk of answer) {",'  process.stdout.write(chunk.choices[0]?.delta.content ?? "");',"}"]}}],["images",{path:"/images/generations",call:"images.generate",known:new Set(Ur),python:{imports:["import base64"],whole:["for index, image in enumerate(answer.data):",'    with open(f"image-{index + 1}.png", "wb") as file:',"        file.write(base64.b64decode(image.b64_json))"]},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:["for (const [index, image] of (answer.data ?? []).entries()) {",'  const bytes = Buffer.from(image.b64_json ?? "", "base64");',"  await writeFile(`image-${index + 1}.png`, bytes);","}"]}}],["speech",{path:"/audio/speech",call:"audio.speech.create",known:new Set(Wr),python:{whole:['answer.write_to_file("speech.audio")']},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:['await writeFile("speech.audio", Buffer.from(await answer.arrayBuffer()));']}}],["transcription",{path:"/audio/transcriptions",call:"audio.transcriptions.create",known:new Set(Hr),takesFile:!0,python:{whole:["print(answer.text)"]},script:{imports:['import { createReadStream } from "node:fs";'],whole:["console.log(answer.text);"]}}],["rerank",{path:"/rerank",known:new Set,python:{imports:["import httpx"],whole:["print(answer.json())"]},script:{whole:["console.log(answer);"]}}]]);var ot=[{id:"curl",title:"curl",write:Kr},{id:"python",title:"Python",write:Jr},{id:"typescript",title:"TypeScript",write:Xr}],ks="SLUICE_BODY";function Kr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{path:r,takesFile:i}=tt.get(e),a=[`curl ${nt(t+r)}`,...n.stream===!0?["--no-buffer"]:[],'-H "Authorization: Bearer $SLUICE_API_KEY"',...i?[]:["-H 'Content-Type: application/json'"],...Object.entries(s).map(([l,u])=>`-H ${nt(`${l}: ${u}`)}`),...e==="speech"?["--output speech.audio"]:[]];if(i){let l=Object.entries(n).map(([d,p])=>`--form-string ${nt(`${d}=${p}`)}`),u=`"${o.replaceAll(/["\\]/g,"\\$&")}"`;return`${[...a,...l,`-F ${nt(`file=@${u}`)}`].join(` \\
  `)}
`}return a.push(`--data-binary @- <<'${ks}'`),`${a.join(` \\
  `)}
${JSON.stringify(n,null,2)}
${ks}
`}function nt(e){return`'${e.replaceAll("'","'\\''")}'`}function xs(e,t){let n=Object.entries(e);return{known:n.filter(([s])=>t.has(s)),others:n.filter(([s])=>!t.has(s))}}function Jr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,python:l,takesFile:u}=tt.get(e),{known:d,others:p}=xs(n,i),f=r===void 0?[`    ${V(a)},`,"    cast_to=httpx.Response,",`    body=${V(n,1)},`]:d.map(([m,h])=>`    ${m}=${V(h,1)},`);return u&&f.unshift(`    file=open(${V(o)}, "rb"),`),r!==void 0&&p.length>0&&f.push(`    extra_body=${V(Object.fromEntries(p),1)},`),Object.keys(s).length>0&&f.push(`    extra_headers=${V(s,1)},`),[...["import os",...l.imports??[]].sort(),"","from openai import OpenAI","",`client = OpenAI(base_url=${V(t)}, api_key=os.environ["SLUICE_API_KEY"])`,`answer = client.${r??"post"}(`,...f,")",...n.stream===!0?l.stream:l.whole,""].join(`
`)}function V(e,t=0){if(e===null)return"None";if(e===!0)return"True";if(e===!1)return"False";if(Array.isArray(e))return st("[","]",e.map(n=>V(n,t+1)),t,4);if(typeof e=="object"){let n=Object.entries(e).map(([s,o])=>`${JSON.stringify(s)}: ${V(o,t+1)}`);return st("{","}",n,t,4)}return JSON.stringify(e)}function Xr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,script:l,takesFile:u}=tt.get(e),{known:d,others:p}=xs(n,i),f=d.map(([y,$])=>`  ${y}: ${Y($,1)},`);u&&f.unshift(`  file: createReadStream(${Y(o)}),`),r===void 0?f.push(`  body: ${Y(n,1)},`):p.length>0&&f.push(`  ...(${Y(Object.fromEntries(p),1)} as object),`);let m=Object.keys(s).length===0?"":`, { headers: ${Y(s)} }`,h=r===void 0?`post(${Y(a)}, {`:`${r}({`;return[...l.imports??[],'import OpenAI from "openai";',"","const client = new OpenAI({",`  baseURL: ${Y(t)},`,"  apiKey: process.env.SLUICE_API_KEY,","});",`const answer = await client.${h}`,...f,`}${m});`,...n.stream===!0?l.stream:l.whole,""].join(`
`)}var Gr=/^[A-Za-z_$][\w$]*$/;function Y(e,t=0){if(Array.isArray(e))return st("[","]",e.map(n=>Y(n,t+1)),t,2);if(typeof e=="object"&&e!==null){let n=Object.entries(e).map(([s,o])=>`${Vr(s)}: ${Y(o,t+1)}`);return st("{","}",n,t,2)}return JSON.stringify(e)}function Vr(e){return e==="__proto__"?'["__proto__"]':Gr.test(e)?e:JSON.stringify(e)}var Yr=60;function st(e,t,n,s,o){if(n.length===0)return e+t;let r=n.join(", ");if(r.length<=Yr&&!r.includes(`
`))return e==="{"&&o===2?`{ ${r} }`:e+r+t;let i=" ".repeat(o*(s+1)),a=n.map(l=>`${i}${l},
`);return`${e}
${a.join("")}${" ".repeat(o*s)}${t}`}var Et=15e5;function Rt(e){let t=S().media[e],{body:n,errors:s}=De(e,t);if(s.size>0){let[[o,r]]=s;throw new RangeError(`${o}: ${r}`)}return{api:e,body:n,headers:{},file:t.file?.name}}async function Ss(e){Tt(e);let{body:t}=Rt(e),{file:n}=S().media[e],{path:s,takesFile:o}=U.get(e),r=new AbortController,i=performance.now(),a=vt(),l={state:"waiting",body:t,requestId:a,answer:null,error:null,headers:null,ms:null,kept:"",stop:()=>r.abort()},u=d=>{S().media[e].run===l&&(l={...l,...d},J(e,{run:l}))};J(e,{run:l});try{let d=await le(s,{body:o?jn(t,n):t,headers:{"x-request-id":a},signal:r.signal}),p=await(e==="speech"?d.blob():d.json()),f=await zr(p),m=xe(d.headers);u({state:"done",answer:p,kept:f,headers:m,ms:performance.now()-i})}catch(d){let p=performance.now()-i;if(r.signal.aborted)u({state:"stopped",ms:p});else{let f=xe(d.headers??new Headers);u({state:"failed",error:d,headers:f,ms:p})}}}function Tt(e){let{run:t}=S().media[e];t?.state==="waiting"&&t.stop()}async function zr(e){if(!(e instanceof Blob)){let s=JSON.stringify(e);return s.length<=Et?s:""}if(e.size>Et/4*3)return"";let t=new Uint8Array(await e.arrayBuffer()),n=Array.from(t,s=>String.fromCharCode(s)).join("");return`${e.type};${btoa(n)}`}function Cs(e,t=Et){if(e?.state!=="done")return null;let{answer:n,body:s,headers:o,kept:r,ms:i,requestId:a}=e,l=r!==""&&r.length<=t;return{body:s,headers:o,ms:i,requestId:a,kept:l?r:"",isAudio:n instanceof Blob}}function _s(e){if(!e)return null;let{isAudio:t,kept:n}=e,s={...e,state:"done",error:null,answer:null,stop:()=>{}};return n===""?{...s,isLost:!0}:{...s,answer:t?Qr(n):JSON.parse(n)}}function Qr(e){let t=e.lastIndexOf(";"),n=Uint8Array.from(atob(e.slice(t+1)),s=>s.charCodeAt(0));return new Blob([n],{type:e.slice(0,t)})}var As=2e4;function Os({state:e,kind:t,onClose:n}){let s=t==="chat",[o,r]=g(ot[0].id),[i,a]=g(String(e.columns[0].id)),{text:l,fault:u}=P(()=>{try{let p=s?St(Number(i)):Rt(t),{write:f}=ot.find(({id:m})=>m===o);return{text:f({...p,baseUrl:`${location.origin}/v1`})}}catch(p){return{text:"",fault:p.message}}},[o,i]),d=l.length>As?`${l.slice(0,As)}
\u2026 (${l.length} characters; Copy takes all)`:l;return c`
    <${ce} title="Copy the request" onClose=${n}>
      <div class="stack">
        <div class="row spread">
          <${F}
            label="Language"
            value=${o}
            options=${ot.map(({id:p,title:f})=>[p,f])}
            onChange=${r}
          />
          ${s&&e.columns.length>1&&c`
            <${F}
              label="Model"
              value=${i}
              options=${e.columns.map(({id:p,model:f},m)=>[String(p),`${m+1}: ${f}`])}
              onChange=${a}
            />
          `}
          <${j} text=${l} class="primary small" />
        </div>
        ${u?c`<p class="fault" role="alert">${u}</p>`:c`
          <pre class="code-box" tabindex="0" aria-label="Code">${d}</pre>
        `}
        <p class="hint">
          The key is read from the environment variable SLUICE_API_KEY. The body is the same as the one that this page sends.
        </p>
      </div>
      <//>
  `}function Es({error:e,fold:t,headers:n,isOpen:s,request:o,requestId:r,state:i,timing:a,toolAnswers:l}){let{message:u,status:d,type:p,code:f,param:m,requestId:h}=e??{},{first:y,total:$}=a;return{model:o.model,stream:o.body.stream,requestId:r,headers:n,first:y,total:$,message:{...t.toMessage(),reasoning_content:t.reasoning},finishReason:t.finishReason,usage:t.usage,state:s?"stopped":i,error:e&&{message:u,status:d,type:p,code:f,param:m,requestId:h},toolAnswers:[...l]}}function Rs(e){let{model:t,stream:n,message:s,finishReason:o,usage:r,first:i,total:a}=e,l=new Z({model:t,body:{stream:n},headers:{}});return l.fold.addCompletion({choices:[{message:s,finish_reason:o}],usage:r}),l.isRestored=!0,l.state=e.state,l.error=e.error&&new Yt(e.error.message,e.error),l.headers=e.headers,l.requestId=e.requestId,l.toolAnswers=new Map(e.toolAnswers),l.startedAt=0,l.firstTextAt=i,l.endedAt=a,l}var Mt="sluice.playground",Zr=400,Is=["kind","system","draft","parameters","tools","stream","streamUsage","panel"],rt,Ts=[];function Ns(){si(),We(()=>{ei(),js()}),addEventListener("pagehide",Ls)}function it(){clearTimeout(rt);try{sessionStorage.removeItem(Mt)}catch{}}function ei(){for(let e of Ts)e();Ts=ae(S()).map(e=>e.onChange(()=>e.isOpen||js()))}function js(){clearTimeout(rt),rt=setTimeout(Ls,Zr)}function Ls(){clearTimeout(rt);let e=S(),t=ti(e);if(Ms(t))return;let n={...t,...ni(t),media:Ps(e,0)};Ms(n)||it()}function Ms(e){try{return sessionStorage.setItem(Mt,JSON.stringify(e)),!0}catch{return!1}}function ti(e){return{...Object.fromEntries(Is.map(t=>[t,e[t]])),columns:e.columns,media:Ps(e),turns:e.turns.map(({user:t,runs:n})=>({user:t,runs:[...n].map(([s,o])=>[s,o.map(Es)])}))}}function Ps({media:e},t){return Object.entries(e).map(([n,{model:s,texts:o,run:r}])=>[n,{model:s,texts:o,run:Cs(r,t)}])}function ni({draft:e,turns:t}){return{draft:{...e,images:[]},turns:t.map(n=>({...n,user:{...n.user,images:[]}}))}}function si(){try{let e=JSON.parse(sessionStorage.getItem(Mt)??"null");e!==null&&k(oi(e))}catch{it()}}function oi(e){let t=new Map(e.columns.map(({id:r})=>[r,ie()])),n=e.turns.map(({user:r,runs:i})=>({id:ie(),user:r,runs:new Map(i.filter(([a])=>t.has(a)).map(([a,l])=>[t.get(a),l.map(Rs)]))})),[s]=t.values(),o={...S().media};for(let[r,i]of e.media??[])Object.hasOwn(o,r)&&(o[r]={...o[r],...i,run:_s(i.run)});return{...Object.fromEntries(Is.filter(r=>r in e).map(r=>[r,e[r]])),media:o,columns:e.columns.map(r=>({...r,id:t.get(r.id)})),turns:n,selected:n.at(-1)?.runs.get(s)?.at(-1)??null}}var qs=100;function Fs({label:e,value:t,options:n,onChange:s,render:o,placeholder:r,children:i}){let a=L("options"),l=_(null),[u,d]=g(!1),[p,f]=g(null),[m,h]=g(-1),{shown:y,total:$}=ri(n,p),v=y[m]!==void 0;x(()=>{u&&v&&document.getElementById(`${a}-${m}`)?.scrollIntoView({block:"nearest"})},[u,m]);let b=()=>{d(!0),h(y.findIndex(({id:C})=>C===t))},w=()=>{d(!1),f(null),h(-1)},E=C=>{s(C),w()},X=()=>{p!==null&&p.trim()!==""&&s(p.trim()),w()},Re=C=>{switch(C.key){case"ArrowDown":case"ArrowUp":{if(C.preventDefault(),!u)return b();let Te=C.key==="ArrowDown"?1:-1;return h(y.length===0?-1:(m+Te+y.length)%y.length)}case"Enter":return!u||C.ctrlKey||C.metaKey?void 0:(C.preventDefault(),v?E(y[m].id):X());case"Escape":u&&(C.stopPropagation(),w());return;default:return}};return c`
    <div class="combobox">
      <input
        ref=${l}
        role="combobox"
        aria-label=${e}
        aria-expanded=${String(u)}
        aria-controls=${a}
        aria-autocomplete="list"
        aria-activedescendant=${u&&v?`${a}-${m}`:void 0}
        autocomplete="off"
        spellcheck=${!1}
        placeholder=${r}
        value=${p??t}
        onInput=${C=>{f(C.target.value),d(!0),h(C.target.value===""?-1:0)}}
        onClick=${()=>!u&&b()}
        onFocus=${C=>C.target.select()}
        onBlur=${X}
        onKeyDown=${Re}
      />
      ${i}
      <${M} name="down" />
      <ul
        id=${a}
        role="listbox"
        aria-label=${e}
        hidden=${!u}
        onMouseDown=${C=>C.preventDefault()}
      >
        ${u&&y.map((C,Te)=>c`
            <li
              key=${C.id}
              id=${`${a}-${Te}`}
              role="option"
              aria-selected=${String(Te===m)}
              class=${C.id===t?"chosen":""}
              onClick=${()=>E(C.id)}
            >
              <span class="wrap-anywhere">${C.id}</span>${o(C)}
            </li>
          `)}
        ${u&&$>y.length&&c`
          <li role="presentation" class="hint">${$-y.length} more: type to search</li>
        `}
        ${u&&$===0&&c`
          <li role="presentation" class="hint">Not in the list. Press Enter to use it unchanged.</li>
        `}
      </ul>
    </div>
  `}function ri(e,t){if(t===null||t.trim()==="")return{shown:e.slice(0,qs),total:e.length};let n=t.trim().toLowerCase(),s=n.split(/\s+/),o=e.filter(({id:i,text:a=""})=>{let l=`${i} ${a}`.toLowerCase();return s.every(u=>l.includes(u))}),r=({id:i})=>i.toLowerCase().startsWith(n)?0:1;return o.sort((i,a)=>r(i)-r(a)),{shown:o.slice(0,qs),total:o.length}}function Ds(){let[e,t]=g({models:[],error:null,isLoading:!0}),[n,s]=g(0);return x(()=>{let o=new AbortController;return R("/v1/models",{signal:o.signal}).then(({data:r})=>t({models:r,error:null,isLoading:!1}),r=>!o.signal.aborted&&t({models:[],error:r,isLoading:!1})),()=>o.abort()},[n]),{...e,reload:()=>s(n+1)}}function Bs(e,t){let[n,s]=g({id:"",model:void 0}),o=t.find(i=>i.id===e),r=o===void 0&&e!==""&&t.length>0;return x(()=>{if(!r)return;let i=new AbortController;return R(`/v1/models/${encodeURIComponent(e)}`,{signal:i.signal}).then(a=>s({id:e,model:a}),()=>!i.signal.aborted&&s({id:e,model:null})),()=>i.abort()},[e,r]),o??(n.id===e?n.model:void 0)}function Ws({state:e,notes:t}){let{system:n,parameters:s,stream:o,streamUsage:r,tools:i}=e,{errors:a}=Pe(s),l=f=>(s[f]??"").trim()!=="",u=Object.keys(s).filter(l).length+(i.trim()===""?0:1),d=we.filter(({name:f})=>l(f)).length,p=f=>c`
      <${Ce}
        key=${f.name}
        parameter=${f}
        text=${s[f.name]??""}
        error=${a.get(f.name)}
        onChange=${m=>k({parameters:{...s,[f.name]:m}})}
      />
    `;return c`
    <div class="settings">
      <div class="field">
        <label for="system">System message</label>
        <textarea
          id="system"
          class="growing"
          rows="3"
          placeholder="None is sent"
          value=${n}
          onInput=${f=>k({system:f.target.value})}
        ></textarea>
      </div>
      ${ht.map(f=>p(f.name==="tool_choice"?ii(f,i):f))}
      <${ai} text=${i} />
      <details class="more">
        <summary>More${d>0?`: ${d} set`:`: ${we.length}`}
          <span> parameters</span></summary>
        <div class="stack">
          <${Us} label="Stream the answer" value=${o} onChange=${f=>k({stream:f})} />
          <${Us} label="Usage and cost in the stream" value=${r} isOff=${!o}
            onChange=${f=>k({streamUsage:f})} />
          ${we.map(p)}
        </div>
      </details>
      <div class="row spread">
        <p class="hint">Empty fields are not sent.</p>
        <button type="button" class="quiet small" disabled=${u===0} onClick=${()=>k({parameters:{},tools:""})}>
          Clear${u>0?` ${u}`:""}
        </button>
      </div>
      ${t.map(f=>c`<p class="hint wrap-anywhere" key=${f}>${f}</p>`)}
    </div>
  `}function ii(e,t){let n=(oe(t).value??[]).map(s=>s.function?.name);return{...e,options:[...e.options,...n.filter(Boolean)]}}function Us({label:e,value:t,isOff:n=!1,onChange:s}){return c`
    <label class="check">
      <input type="checkbox" checked=${t} disabled=${n} onChange=${o=>s(o.target.checked)} />
      ${e}
    </label>
  `}function ai({text:e}){let{error:t,value:n=[]}=oe(e),s=n.map(r=>r.function?.name??r.custom?.name??r.type),o=r=>k({tools:r});return c`
    <div class="field">
      <div class="row spread">
        <label class="mono" for="tools">tools</label>
        <button type="button" class="quiet small" onClick=${()=>o(e===""?fe:"")}>${e===""?"Example":"Clear"}</button>
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
  `}function Ce({parameter:e,text:t,error:n,onChange:s}){let o=L("parameter"),{name:r,label:i=r,kind:a}=e,l=a==="json"||a==="lines"||a==="long",u=n??(t===""||l?e.hint:void 0),d={id:o,parameter:e,text:t,onChange:s,isInvalid:n!==void 0};return c`
    <div class=${`parameter ${l?"wide":""} ${t===""?"":"touched"}`}>
      <label class="mono" for=${o}>${i}</label>
      <${ci} ...${d} />
      ${e.slider!==void 0&&c`<${li} ...${d} />`}
      ${a==="format"&&ke(t)==="json_schema"&&c`
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
  `}function li({parameter:{name:e,min:t,slider:n,step:s=1},text:o,onChange:r}){return c`
    <input
      type="range"
      aria-label=${`${e}, slider`}
      min=${t}
      max=${n}
      step=${s}
      value=${o.trim()===""?n/2:o}
      onInput=${i=>r(i.target.value)}
    />
  `}function ci({id:e,parameter:t,text:n,isInvalid:s,onChange:o}){let{kind:r}=t,i={id:e,value:n,"aria-invalid":String(s),"aria-describedby":`${e}-hint`,onInput:a=>o(a.target.value)};switch(r){case"boolean":return c`<${It} ...${i} options=${["true","false"]} />`;case"choice":return c`<${It} ...${i} options=${t.options} />`;case"format":return c`
        <${It}
          ...${i}
          value=${ke(n)}
          options=${[...Q.keys()]}
          onInput=${a=>o(Q.get(a.target.value)??"")}
        />
      `;case"json":case"lines":case"long":return c`
        <textarea
          ...${i}
          class=${r==="json"?"code growing":"growing"}
          rows=${r==="long"?3:1}
          spellcheck=${r==="long"}
          placeholder=${t.placeholder??"not sent"}
        ></textarea>
      `;case"number":case"integer":return c`
        <input
          ...${i}
          inputmode=${r==="integer"?"numeric":"decimal"}
          autocomplete="off"
          title=${`Must be ${gt(t)}`}
          placeholder=${ui(t)}
          onKeyDown=${a=>di(a,t,n,o)}
        />
      `;default:return c`
        <input ...${i} autocomplete="off" spellcheck=${!1} placeholder="not sent" />
      `}}function It({options:e,value:t,...n}){let s=t===""||e.includes(t)?e:[...e,t];return c`
    <select ...${n} value=${t}>
      <option value="">not sent</option>
      ${s.map(o=>c`<option key=${o} value=${o}>${o}</option>`)}
    </select>
  `}function ui({min:e,max:t}){return e!==void 0&&t!==void 0&&t<1e3?`${e} \u2013 ${t}`:e===void 0?"not sent":`\u2265 ${e}`}function di(e,{kind:t,min:n,max:s,step:o=1},r,i){if(e.key!=="ArrowUp"&&e.key!=="ArrowDown")return;e.preventDefault();let a=r.trim()===""?t==="number"?1:n??0:Number(r);if(!Number.isFinite(a))return;let l=r.trim()===""?a:a+(e.key==="ArrowUp"?o:-o),u=Math.min(s??1/0,Math.max(n??-1/0,l));i(String(Math.round(u*1e3)/1e3))}function Hs({id:e,onClose:t}){let{columns:n,system:s}=Ye(),o=n.findIndex(d=>d.id===e);if(o===-1)return null;let{model:r,own:i={}}=n[o],a=d=>{let p={...i,...d};for(let f of Object.keys(p))p[f]===void 0&&delete p[f];k({columns:n.with(o,{...n[o],own:p})})},l=()=>{let{own:d,...p}=n[o];k({columns:n.with(o,p)})},u=i.parameters??{};return c`
    <${ce} title=${`Settings of model ${o+1}`} onClose=${t}>
      <div class="stack">
        <p class="hint wrap-anywhere">They replace the page's settings for ${r}. Empty ones do not.</p>
        ${kn.map(d=>{let p=u[d]??"",{error:f}=ve($t(d),p);return c`
            <${Ce}
              key=${d}
              parameter=${$t(d)}
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
        ${i.system!==void 0&&c`
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
          <button type="button" class="quiet" onClick=${l}>As the page</button>
          <span class="grow"></span>
          <button type="button" class="primary" onClick=${t}>Done</button>
        </div>
      </div>
      <//>
  `}function Ks({columns:e,models:t}){let n=(i,a)=>k({columns:e.map(l=>l.id===i?{...l,model:a}:l)}),[s,o]=g(null),r=i=>k({columns:e.filter(a=>a.id!==i)});return c`
    <div class="columns model-row" style=${{"--columns":e.length}}>
      ${e.map((i,a)=>{let{id:l,model:u}=i,d=xn(i);return c`
          <div class="model-column" key=${l}>
            <${Nt}
              label=${e.length===1?"Model":`Model ${a+1}`}
              id=${u}
              models=${t}
              onChange=${p=>n(l,p)}
            />
            ${d.length>0&&c`
              <span class="badge own" title=${d.join(", ")}>${d.join(", ")}</span>
            `}
            ${(e.length>1||d.length>0)&&c`
              <${O}
                icon="settings"
                class="small"
                label=${`Settings of model ${a+1}${d.length>0?`: ${d.join(", ")}`:""}`}
                onClick=${()=>o(l)}
              />
            `}
            ${e.length>1&&c`
              <${O}
                icon="close"
                class="small"
                label=${`Remove model ${a+1}`}
                onClick=${()=>r(l)}
              />
            `}
          </div>
        `})}
      ${e.some(({id:i})=>i===s)&&c`
        <${Hs} id=${s} onClose=${()=>o(null)} />
      `}
    </div>
  `}function Nt({label:e,id:t,models:n,onChange:s}){let o=Bs(t,n),r=o===null?["unknown model"]:o===void 0?[]:[je(o)==="alias"&&`alias of ${o.root}`,Le(o),o.context_window&&ne(o.context_window)].filter(Boolean);return c`
    <div class="model-chip" title=${o?fi(o):void 0}>
      <${Fs}
        label=${e}
        value=${t}
        options=${n}
        placeholder="Choose a model"
        onChange=${s}
        render=${i=>c`
            <span class="option-facts">
              ${je(i)!=="model"&&c`
                <span class="badge">${je(i)}</span>
              `}
              ${[i.owned_by,...be(i).slice(0,1),Le(i)].filter(Boolean).join(" \xB7 ")}
            </span>
          `}
      >
        <span class="chip-facts">${r.join("; ")}</span>
        <//>
        </div>
  `}function fi(e){let t=Le(e);return[`${e.id} by ${e.owned_by}`,t&&`${t} (tokens by the million)`,...be(e),de(e).join(", ")].filter(Boolean).join(". ")}function Js({kind:e,entry:t,models:n}){let{fields:s,takesFile:o,verb:r}=U.get(e),{model:i,texts:a,run:l}=t,[u,d]=g(!1),{errors:p}=De(e,t),f=l?.state==="waiting",m=n[0]?.id;x(()=>{i===""&&m!==void 0&&J(e,{model:m})},[i,m]);let h=$=>{$.preventDefault(),d(!0),p.size===0&&Ss(e)},y=$=>u||(a[$]??"")!=="";return c`
    <section class="media" aria-label=${U.get(e).title}>
      <div class="model-row model-column">
        <${Nt} label="Model" id=${i} models=${n} onChange=${$=>J(e,{model:$})} />
      </div>
      <form class="media-form" onSubmit=${h}>
        ${o&&c`
          <${pi} kind=${e} entry=${t}
            error=${u?p.get("file"):void 0} />
        `}
        ${s.map($=>c`
            <${Ce}
              key=${$.name}
              parameter=${$}
              text=${a[$.name]??""}
              error=${y($.name)?p.get($.name):void 0}
              onChange=${v=>J(e,{texts:{...a,[$.name]:v}})}
            />
          `)}
        <div class="row end">
          ${f?c`<button type="button" class="danger" onClick=${()=>Tt(e)}>Stop</button>`:c`<button class="primary">${r}</button>`}
        </div>
      </form>
      <div class="media-answer" aria-live="polite">
        ${f&&c`<${I} text="Waiting for the answer" />`}
        ${l?.state==="stopped"&&c`<p class="hint">Stopped.</p>`}
        ${l?.error&&c`<${A} error=${l.error} title="The request failed" />`}
        ${l?.isLost&&c`
          <p class="hint">The answer was too large to be kept across the reload.</p>
        `}
        ${l?.state==="done"&&!l.isLost&&c`<${mi} kind=${e} run=${l} />`}
        ${l&&!f&&c`<${bi} run=${l} />`}
      </div>
    </section>
  `}function pi({kind:e,entry:{file:t},error:n}){return c`
    <div class="field">
      <label for="media-file">file</label>
      <input id="media-file" type="file" accept="audio/*,video/mp4,video/webm" onChange=${s=>J(e,{file:s.target.files[0]??null})} />
      <p class=${n===void 0?"hint":"fault"}>
        ${n??(t===null?"Audio, such as MP3 or WAV":`${t.name}, ${G(t.size)}`)}
      </p>
    </div>
  `}function mi({kind:e,run:{answer:t,body:n}}){switch(e){case"images":return c`<${hi} images=${Pn(t)} prompt=${n.prompt} />`;case"speech":return c`<${$i} audio=${t} />`;case"transcription":return c`
        <p class="plain-text">${t.text}</p>
        <p>
          <${j} text=${t.text??""} />
        </p>
      `;default:return c`<${gi} rows=${Ln(t,n.documents)} />`}}function hi({images:e,prompt:t}){return c`
    <ul class="media-images">
      ${e.map(({url:n,isData:s,prompt:o},r)=>c`
          <li key=${r}>
            ${s?c`
                <img src=${n} alt=${t} />
                <p><a href=${n} download=${`image-${r+1}`}>Download</a></p>
              `:c`<p class="mono wrap-anywhere">${n}</p>`}
            ${o&&c`<p class="hint">${o}</p>`}
          </li>
        `)}
    </ul>
  `}function $i({audio:e}){let t=_(null),[n,s]=g({seconds:null,fault:"",isPlaying:!1}),[o,r]=g("");x(()=>{let d=new AudioContext,p=!1,f=URL.createObjectURL(e);return r(f),e.arrayBuffer().then(m=>d.decodeAudioData(m)).then(m=>{p||(t.current={context:d,sound:m,source:null},s({seconds:m.duration,fault:"",isPlaying:!1}))},()=>p||s({seconds:null,fault:"This browser cannot play it"})),()=>{p=!0,URL.revokeObjectURL(f),d.close()}},[e]);let i=()=>{let{context:d,sound:p,source:f}=t.current;if(n.isPlaying)return f.stop();let m=new AudioBufferSourceNode(d,{buffer:p});return m.connect(d.destination),m.onended=()=>s(h=>({...h,isPlaying:!1})),t.current.source=m,d.resume(),m.start(),s({...n,isPlaying:!0})},{fault:a,isPlaying:l,seconds:u}=n;return c`
    <div class="row">
      <button type="button" disabled=${u===null} onClick=${i}>
        ${l?"Stop playing":"Play"}
      </button>
      <a class="button" href=${o} download="speech">Download</a>
      <span class="hint">${[u!==null&&N(1e3*u),e.type,G(e.size)].filter(Boolean).join(", ")}</span>
    </div>
    ${a!==""&&c`<p class="hint">${a}</p>`}
  `}function gi({rows:e}){return c`
    <table class="media-ranking">
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col">Document</th>
        </tr>
      </thead>
      <tbody>
        ${e.map(({index:t,score:n,text:s})=>c`
            <tr key=${t}>
              <td class="number">${n.toFixed(3)}</td>
              <td class="wrap-anywhere">${s}</td>
            </tr>
          `)}
      </tbody>
    </table>
  `}function bi({run:{headers:e,ms:t,requestId:n}}){let s=e?.provider&&`${e.provider} / ${e.model??""}`,o=[s&&["Answered by",s],t!==null&&["Total",N(t)],e?.cost!=null&&["Cost",H(e.cost)],e?.ignored.length>0&&["Ignored",e.ignored.join(", ")]].filter(Boolean);return c`
    <div class="answer-foot">
      <${q} class="figures" facts=${o} />
      <a href=${`#/requests/${encodeURIComponent(n)}`}>Request</a>
    </div>
  `}function Vs({run:e}){ze(e),x(()=>void e.explain(),[e]);let{explanation:t,explanationError:n,isRestored:s}=e,o=t?.targets??[],r=t===null?0:Rn(t,e.target),[i,a]=g(null),l=Math.min(i??r,Math.max(0,o.length-1)),u=o[l],d=t===null&&n===null&&!s;return c`
    <${yi} run=${e} estimate=${u?.estimate} />
    ${o.length>1&&c`
      <section aria-label="Targets">
        <h3>Targets in order</h3>
        <${wi} ...${{targets:o,index:l,onChoose:a}} />
      </section>
    `}
    <section aria-label="Parameters">
      <h3>Parameters</h3>
      <${vi} target=${u} run=${e} isReal=${l===r} />
    </section>
    <section aria-label="Request to the vendor">
      <h3>Request to the vendor</h3>
      ${d&&c`<${I} />`}
      ${s&&c`
        <p class="hint">
          Bodies are not kept when the page is loaded again. "Ask again" shows them.
        </p>
      `}
      ${u?.request&&c`<${ki} request=${u.request} />`}
      ${u?.error&&c`<${A} error=${u.error} title="Nothing is sent" />`}
      ${n!==null&&c`
        <${A} error=${n} title="Nothing is sent" />
      `}
    </section>
  `}function yi({run:e,estimate:t}){let{headers:n,record:s,request:o,requestId:r,state:i}=e,a=e.target&&`${e.target.provider} / ${e.target.model}`,l=i==="preview",u=[["Requested",o.model],[i==="failed"?"Target":"Answered by",a],["Attempts",e.attempts],["Overhead",jt(n?.overheadMs,N)],["Cost",jt(e.cost,H)],l?["Tokens in",t?.input_tokens]:["",""],l?["Cost at most",jt(t?.max_cost_usd,H)]:["",""],["Tags",s?.tags?.length>0?s.tags.join(", "):null],["Vendor's ID",n?.upstreamRequestId],l?["",""]:["Request",c`<a class="mono" href=${`#/requests/${encodeURIComponent(r)}`}>${r}</a>`]].filter(([,d])=>d!=null&&d!=="");return c`
    <section aria-label="Route">
      <div class="row spread">
        <h3>${l?"Preview":"Route"}</h3>
        ${l&&c`<span class="badge">nothing was sent</span>`}
      </div>
      <${q} class="facts-list" facts=${u} />
    </section>
  `}function jt(e,t){return e==null?null:t(e)}function wi({targets:e,index:t,onChoose:n}){return c`
    <ol class="targets">
      ${e.map(({provider:s,model:o,after:r,weight:i,error:a},l)=>c`
          <li key=${l}>
            <button type="button" aria-pressed=${String(l===t)} onClick=${()=>n(l)}>
              <span class="wrap-anywhere">${s} / ${o}</span>
              ${a&&c`<span class="badge bad">cannot answer</span>`}
              ${i!==void 0&&c`<span class="badge">weight ${i}</span>`}
              ${r&&c`<span class="faint small">after ${r.join(", ").replaceAll("_"," ")}</span>`}
            </button>
          </li>
        `)}
    </ol>
  `}function vi({target:e,run:t,isReal:n}){let s=t.headers===null?[]:wt(t.headers),o=On(e?.receipt??[],n?t.headers:null),r=En(e===void 0?s:o),i=r.filter(({fate:l})=>l!=="as is"),a=r.filter(({fate:l})=>l==="as is");return r.length===0?c`<p class="hint">${e?.error?"None was converted.":"The request has none."}</p>`:c`
    ${i.length>0&&c`<${Xs} rows=${i} />`}
    ${a.length>0&&c`
      <details class="same">
        <summary>
          ${a.length} sent as ${a.length===1?"it is":"they are"}
        </summary>
        <${Xs} rows=${a} />
      </details>
    `}
  `}function Xs({rows:e}){return c`
    <ul class="receipt-rows">
      ${e.map(({parameter:t,fate:n,to:s,change:o,rule:r,from:i},a)=>c`
          <li key=${a}>
            <div class="row">
              <strong class="mono wrap-anywhere">${t}</strong>
              <span class="badge">${n}</span>
              ${i==="config"&&c`<span class="badge">from config.yaml</span>`}
            </div>
            ${s&&c`<p class="mono small wrap-anywhere">→ ${s}</p>`}
            ${o&&c`<p class="mono small wrap-anywhere">${o.replace("->"," \u2192 ")}</p>`}
            ${r&&c`<p class="small soft">${r}</p>`}
          </li>
        `)}
    </ul>
  `}var Gs=3e4;function ki({request:{method:e,url:t,headers:n,body:s}}){let o=Mn(s);return c`
    <div class="vendor-request">
      <p class="mono wrap-anywhere"><strong>${e}</strong> ${t}</p>
      <dl class="header-list">
        ${Object.entries(n).map(([r,i])=>c`
            <div key=${r}>
              <dt>${r}:</dt>
              <dd class="wrap-anywhere">${i}</dd>
            </div>
          `)}
      </dl>
      <div class="code-frame">
        <pre class="code-box" tabindex="0" aria-label="Body">${o.length>Gs?`${o.slice(0,Gs)}
\u2026`:o}</pre>
        <${j} text=${()=>JSON.stringify(s,null,2)} />
      </div>
    </div>
  `}Vt(()=>{Gt()||(Fn(),it())});Ns();function Ys({route:e}){return Xt()===""?c`
      <p class="notice">The playground needs a service key.</p>
      <${sn} />
    `:c`<${Ci} named=${e.query.get("model")} />`}var xi=[["chat","Messages"],["settings","Parameters"],["receipt","Receipt"]],Si=[["chat","Chat"],...[...U].map(([e,{title:t}])=>[e,t])];function Ci({named:e}){let t=Ye(),{models:n,error:s,isLoading:o,reload:r}=Ds();nn(s??void 0,r);let i=P(()=>Map.groupBy(n,mt),[n]),a=P(()=>i.get("chat")??[],[i]),[l,u]=g("");x(()=>{!e||n.length===0||(history.replaceState(null,"","#/playground"),u(Ri(e,n)?"":e))},[e,n]),x(()=>Ti(a),[a]);let d=Si.filter(([f])=>i.has(f)||f==="chat"&&n.length===0),p=d.some(([f])=>f===t.kind)?t.kind:d[0]?.[0]??"chat";return c`
    <div class="playground" data-panel=${t.panel} data-kind=${p}>
      <${_i} ...${{kind:p,kinds:d,models:a,state:t,error:s,reload:r}} />
      ${l!==""&&c`
        <p class="notice" role="status">
          There is nothing to try with ${l}: it is for embeddings or moderation.
        </p>
      `}
      ${p==="chat"?c`<${Ai} ...${{state:t,models:a,isLoading:o}} />`:c`
        <${Js} key=${p} kind=${p} entry=${t.media[p]}
          models=${i.get(p)} />
      `}
    </div>
  `}function _i({kind:e,kinds:t,models:n,state:s,error:o,reload:r}){let{columns:i,panel:a}=s,[l,u]=g(!1);return c`
    <header class="playground-head">
      <h1>Playground</h1>
      ${t.length>1&&c`
        <${F} label="Kind" value=${e} options=${t} onChange=${d=>k({kind:d})} />
      `}
      <span class="grow"></span>
      ${e==="chat"&&c`
        <button
          type="button"
          aria-keyshortcuts="Alt+Shift+C"
          title="Compare with another model"
          disabled=${i.length>=Ue||ee(s)}
          onClick=${()=>Hn(n)}
        >Compare</button>
      `}
      <button type="button" aria-keyshortcuts="Alt+Shift+Y" onClick=${()=>u(!0)}>
        Copy as
      </button>
      ${e==="chat"&&c`
        <${F} label="Panel" value=${a} options=${xi} onChange=${d=>k({panel:d})} />
      `}
      ${o&&c`
        <div class="stack">
          <${A} error=${o} title="Cannot load the models" />
          <p><button type="button" onClick=${r}>Try again</button></p>
        </div>
      `}
      ${l&&c`
        <${Os} state=${s} kind=${e} onClose=${()=>u(!1)} />
      `}
    </header>
  `}function Ai({state:e,models:t,isLoading:n}){let{columns:s,panel:o,parameters:r,selected:i,stream:a,streamUsage:l,system:u,tools:d}=e,p=Oi(e).join(`
`),f=P(()=>c`<${Ws} state=${e} notes=${p.split(`
`).filter(Boolean)} />`,[r,a,l,u,d,p]),m=P(()=>c`<${Ks} columns=${s} models=${t} />`,[s,t]),h=P(()=>c`<${Ei} run=${i} />`,[i]);return c`
    <section class="chat-panel" aria-label="Conversation">
      ${m}
      <${vs} state=${e} isLoading=${n} />
      <${ts} state=${e} />
    </section>
    <aside class="side-panel" aria-label=${o==="receipt"?"Receipt":"Parameters"}>
      ${o==="receipt"?h:f}
    </aside>
  `}function Oi({columns:e,turns:t}){let n=e.flatMap(({id:s,model:o})=>{let r=t.at(-1)?.runs.get(s)?.at(-1)?.headers?.ignored??[];return r.length===0?[]:[`${o} ignores ${r.join(", ")}.`]});return e.length>1&&n.push("A new column begins with the first one's history."),n}function Ei({run:e}){return e===null?c`
      <div class="empty">
        <p>The receipt of an answer: what was ignored, converted and added, by which rule, and the
          request to the vendor.</p>
        <p class="hint"><kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd> shows it without sending.</p>
      </div>
    `:c`
    <div class="receipt">
      <${Vs} key=${e.id} run=${e} />
    </div>
  `}function Ri(e,t){let n=t.find(({id:i})=>i===e||e.startsWith(`${i}@`)),s=n===void 0?"chat":mt(n);if(U.has(s))return k({kind:s}),J(s,{model:e}),!0;if(s!=="chat")return!1;let[o,...r]=S().columns;return k({kind:"chat",columns:[{...o,model:e},...r]}),!0}function Ti(e){let{columns:t}=S(),[n]=e;n===void 0||t.some(({model:s})=>s!=="")||k({columns:t.map(s=>({...s,model:n.id}))})}var po={};Me(po,{default:()=>fo});var at=new Map([["model","Model"],["alias","Alias"],["pinned","Pinned"],["pattern","Pattern"]]);function Zs({data:e,targets:t},n){let s=new Map(t.map(i=>[Lt(i),i])),o=new Map((n?.models??[]).map(i=>[Lt(i),i])),r=i=>{let a=Lt(i),l={...Mi,...o.get(a)};return{...s.get(a),...i,state:l,health:dn(l)}};return e.map(i=>{let a=(i.steps??[]).map(u=>({...u,targets:u.targets.map(r)})),l=a.flatMap(u=>u.targets);return{...i,steps:a,all:l,...Ii(l),health:ji(l)}})}var Mi={breaker:"closed",attempts:0,failed_attempts:0,last_failure:null,p50_ms:null,health:null};function Lt({provider:e,upstream:t}){return JSON.stringify([e,t])}function Ii(e){let t=e.filter(({attempts:r})=>r>0),n=t.reduce((r,i)=>r+i.attempts,0),s=t.reduce((r,i)=>r+i.failed_attempts,0),o=t.toSorted((r,i)=>i.attempts-r.attempts)[0];return{attempts:n,failed:s,uptime:n===0?null:1-s/n,p50:o?.p50_ms??null,p95:o?.p95_ms??null}}var Ni=["ok","unused","slow","silent","limited","degraded","failing"];function ji(e){return Ni.find(t=>e.some(n=>n.health===t))??"unused"}function eo(e,t,n){let s=t.toLowerCase().split(/\s+/).filter(o=>o!=="");return e.filter(o=>{if(n!=="all"&&o.form!==n)return!1;if(s.length===0)return!0;let r=o.all.map(({kind:a,provider:l,upstream:u})=>`${l} ${a} ${u}`),i=[o.id,o.display_name??"",...r].join(" ").toLowerCase();return s.every(a=>i.includes(a))})}function to({weight:e},{balance:t,targets:n}){if(t!=="weighted"||n.length<2)return;let s=n.reduce((o,r)=>o+(r.weight??1),0);return s===0?void 0:`${Math.round(100*(e??1)/s)} %`}var no=new Map([["in_order","the first"],["weighted","by weight"],["p2c","the less loaded of two"],["ttft","the fastest first token"],["throughput","the fastest output"],["price","the cheapest"]]),Qs=["rate_limited","quota","auth","not_found","unavailable","timeout"];function so({when:e}){return e.length===Qs.length&&Qs.every(n=>e.includes(n))?"if it fails":e.length===0?"never":`after ${e.join(", ").replaceAll("_"," ")}`}function oo(e,t){if(e===void 0)return;let{read_at:n}=e,s=Math.max(0,Math.round((t/1e3-(n??0))/60));return`listed by the vendor${n===void 0?"":`, read ${s} min ago`}${e.stale?", stale":""}`}var _e=[...Ne.keys()];function pe(e,t,n,s,o={}){return{id:e,title:t,of:n,text:s,isNumber:!0,...o}}function ro(e){return({prices:t})=>t&&ye(t)?t[e]:void 0}var Li=[{id:"name",title:"Model",of:({id:e})=>e,isRisingFirst:!0},{id:"form",title:"Form",of:({form:e})=>e==="model"?void 0:at.get(e)},{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({all:e,health:t})=>_e.indexOf(ao(e)??t),cell:e=>c`<${qi} entry=${e} />`},{id:"targets",title:"Tried in this order",isProse:!0,card:"c",of:Pt,cell:e=>c`<span title=${Pt(e)}>${Pt(e)}</span>`},pe("input_price","In",ro("input"),B,{hint:"US dollars per million input tokens"}),pe("output_price","Out",ro("output"),B,{hint:"US dollars per million output tokens"}),{id:"unit_price",title:"Per unit",of:({prices:e})=>se(e).join(", ")},pe("context","Context",e=>e.context_window,ne),{id:"capabilities",title:"Can",class:"soft",of:e=>de(e).join(", ")},pe("p50","p50",e=>e.p50,N),pe("uptime","Uptime",e=>e.uptime,e=>ge(e,1)),pe("attempts","Attempts",e=>e.attempts,T,{card:"d",mark:"attempts",hint:"Attempts in 24 hours"})];function io({entries:e,opened:t}){return e.length===0?c`<p class="card empty">No name matches.</p>`:c`
    <${un}
      label="Models, aliases and pinned names"
      columns=${Li}
      rows=${e}
      idOf=${({id:n})=>n}
      hrefOf=${({id:n})=>`#/models/${encodeURIComponent(n)}`}
      actionsOf=${Pi}
      order=${{id:"attempts",isRising:!1}}
      current=${t}
      onClose=${t===void 0?void 0:()=>location.hash="#/models"}
    />
  `}function Pi({form:e,id:t}){let n=e!=="pattern";return[...n?[{text:"Try",href:`#/playground?model=${encodeURIComponent(t)}`}]:[],{text:"Targets and facts",href:`#/models/${encodeURIComponent(t)}`},{text:"Its requests",href:cn({...ln,model:t})},...n?[{text:"Settings for a client",href:`#/clients?model=${encodeURIComponent(t)}`}]:[],{text:"Copy the name",copy:t}]}function Pt({steps:e}){return e.map(({targets:t})=>[...new Set(t.map(({provider:n})=>n))].join(", ")).join(" \u2192 ")}function ao(e){return e.map(({health:n})=>n).filter(n=>_e.indexOf(n)<_e.indexOf("ok")).toSorted((n,s)=>_e.indexOf(n)-_e.indexOf(s))[0]}function qi({entry:{all:e,health:t}}){let n=ao(e);if(n===void 0||e.length===1)return c`<${qt} state=${n??t} />`;let s=e.filter(o=>o.health===n).length;return s===e.length?c`<${qt} state=${n} />`:c`
    <span class=${`st ${n}`}>${s} of ${e.length} ${Ne.get(n).text.toLowerCase()}</span>
  `}function qt({state:e}){return e==="limited"?c`<span class="st slow">${Ne.get(e).text}</span>`:c`<${tn} state=${e} />`}function lo({id:e}){return c`
    <a
      class="button small"
      href=${`#/playground?model=${encodeURIComponent(e)}`}
      aria-label=${`Try ${e}`}
    >Try</a>
  `}function co({entry:{health:e,state:t}}){return t!==void 0&&t.breaker!=="closed"?c`<${pn} state=${t.breaker} />`:c`<${qt} state=${e} />`}function Ae(e,t){return e==null?"\u2013":t(e)}function uo({entry:e,now:t}){let{form:n,id:s,steps:o}=e;return c`
    <section class="card model-details" aria-labelledby="model-title">
      <div class="row spread">
        <h2 id="model-title" class="row">
          <span class="mono wrap-anywhere">${s}</span>
          <span class="badge">${at.get(n)}</span>
        </h2>
        <div class="row">
          <${j} text=${s} label="Copy the name" />
          ${n!=="pattern"&&c`
            <a class="button" href=${`#/clients?model=${encodeURIComponent(s)}`}>
              Copy settings for a client
            </a>
            <${lo} id=${s} />
          `}
          <${O} icon="close" label="Close" onClick=${()=>location.hash="#/models"} />
        </div>
      </div>
      ${e.description&&c`<p class="soft">${e.description}</p>`}
      <${q} class="facts" facts=${Fi(e,t)} />
      <h3>Where its requests go</h3>
      <ol class="route-graph">
        <li class="route-start"><span class="badge accent">Request</span></li>
        ${o.map((r,i)=>c`<${Bi} key=${i} step=${r} index=${i} />`)}
      </ol>
      ${e.other_providers&&c`
        <p class="soft small">
          Also at ${e.other_providers.join(", ")}: as <code>${`${e.root}@${e.other_providers[0]}`}</code>, or with <code>pins</code> and <code>balance</code>.
        </p>
      `}
    </section>
  `}function Fi(e,t){let{display_name:n,prices:s,source:o}=e;return[["Shown as",n===e.id?void 0:n],["Limits",be(e).join(", ")||"unknown"],["Prices",s?Di(s):"unknown"],["Capabilities",de(e).join(", ")||"unknown"],["Attempts, 24 hours",`${T(e.attempts)}, ${T(e.failed)} failed`],["Uptime, 24 hours",Ae(e.uptime,i=>ge(i,1))],["Source",oo(o,t)??"config.yaml"]].filter(([,i])=>i!==void 0)}function Di(e){let{cache_write:t,cached_input:n,input:s,output:o}=e,r=[`${B(s)} in`,`${B(o)} out`,...n===void 0?[]:[`${B(n)} cached`],...t===void 0?[]:[`${B(t)} cache write`]];return[...ye(e)?[`per million tokens ${r.join(", ")}`]:[],...se(e)].join("; ")}function Bi({step:e,index:t}){let{balance:n,targets:s}=e;return c`
    <li class="route-step">
      <span class="route-arrow" aria-hidden="true"></span>
      <span class="route-when small">
        ${t===0?"first":so(s[0])}
      </span>
      <div class="route-targets">
        ${s.length>1&&c`
          <span class="soft small">${T(s.length)} equals: ${no.get(n)??n}</span>
        `}
        <ul>
          ${s.map(o=>c`
              <${Ui}
                key=${`${o.provider} ${o.upstream}`}
                target=${o}
                share=${to(o,e)}
              />
            `)}
        </ul>
      </div>
    </li>
  `}function Ui({target:e,share:t}){let{attempts:n,kind:s,provider:o,state:r,upstream:i,uptime:a}=e;return c`
    <li class=${`route-target ${r.breaker==="closed"?"":"broken"}`}>
      <div class="row spread">
        <strong class="mono wrap-anywhere">${i}</strong>
        <${co} entry=${e} />
      </div>
      <span class="soft small">
        ${o}${s===o?"":` (${s})`}${t&&c`${" \xB7 "}<strong>${t}</strong>`}
      </span>
      <span class="faint small">
        ${n>0?`p50 ${Ae(e.p50_ms,N)}, p95 ${Ae(e.p95_ms,N)}, uptime ${Ae(a,l=>ge(l,1))}`:"no attempt in 24 hours"}
        ${r.tries_again_in_ms>0&&`; tries again in ${N(r.tries_again_in_ms)}`}
      </span>
    </li>
  `}var Wi=[["all","All"],["model","Models"],["alias","Aliases"],["pinned","Pinned"]];function fo({route:e}){let t=ue(),{data:n,error:s,isLoading:o,reload:r}=K(a=>R(ft(t,"routes"),{signal:a}),[t.hasAdmin]),{state:i}=fn(ft(t,"live"));return c`
    <div class="view" data-view="models">
      <${z}
        title=${n===void 0?"Models":Hi(n.data)}
        note=${t.hasAdmin?"Every name that a request may use, and where it goes.":"The names that your key may use, and where they go."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${r}
          disabled=${o}>Refresh</button>
      <//>
      <${A} error=${s} title="The models cannot be loaded" />
      ${n===void 0?!s&&c`<${I} text="Loading the models" />`:c`<${Ki} routes=${n} live=${i} opened=${e.path[0]} />`}
    </div>
  `}function Hi(e){let t=r=>e.filter(({form:i})=>i===r).length,[n,s]=[t("model"),t("alias")];return[n>0&&dt(n,"model"),s>0&&dt(s,"alias","aliases")].filter(r=>r).join(", ")||"Models"}function Ki({routes:e,live:t,opened:n}){let[s,o]=g(""),[r,i]=g("all"),a=JSON.stringify((t?.models??[]).map(f=>[f.provider,f.upstream,f.breaker,f.attempts,f.failed_attempts,Math.ceil((f.tries_again_in_ms??0)/1e3)])),l=P(()=>Zs(e,t),[e,a]),u=P(()=>eo(l,s,r),[l,s,r]),d=P(()=>c`<${io} entries=${u} opened=${n} />`,[u,n]),p=l.find(({id:f})=>f===n);return c`
    <div class="row">
      <label class="search">
        <span class="only-read">Search</span>
        <input
          type="search"
          aria-keyshortcuts="Alt+Shift+F"
          value=${s}
          placeholder="Name, provider or vendor"
          onInput=${({currentTarget:f})=>o(f.value)}
        />
      </label>
      <${F} label="Names" value=${r} options=${Wi} onChange=${i} />
      <span class="soft small" role="status">
        ${T(u.length)} of ${T(l.length)} names
      </span>
    </div>
    ${n!==void 0&&(p===void 0?c`<p class="notice" role="status">There is no model <code>${n}</code>.</p>`:c`<${uo} entry=${p} now=${Date.parse(t?.at??e.since)} />`)}
    ${d}
  `}var ho={};Me(ho,{default:()=>mo});var Ji=[["linux","Linux"],["darwin","macOS"],["windows","Windows"]];function mo({route:e}){let{hasService:t}=ue(),[n,s]=g(Xi);return c`
    <div class="view" data-view="clients">
      <${z} title="Clients" note="The settings that each client needs for this gateway.">
        <${F} label="Operating system" value=${n} options=${Ji} onChange=${s} />
      <//>
      ${t?c`<${Gi} os=${n} model=${e.query.get("model")??""} />`:c`
        <p class="card empty">The settings name the models of a service key. Sign in with one.</p>
      `}
    </div>
  `}function Xi(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Gi({os:e,model:t}){let n=new URLSearchParams({os:e,origin:location.origin,...t!==""&&{model:t}}),{data:s,error:o}=K(l=>R(`/v1/clients?${n}`,{signal:l}),[e,t]),[r,i]=g("");if(o)return c`<${A} error=${o} title="The settings cannot be shown" />`;if(!s)return c`<${I} text="Loading the settings" />`;if(s.data.length===0)return c`<p class="card empty">This key has no access to a chat model.</p>`;let a=s.data.find(l=>l.id===r)??s.data[0];return c`
    <div class="stack">
      ${t!==""&&c`
        <p class="soft" role="status">
          With the model <code>${t}</code>. <a href="#/clients">Use the usual one</a>
        </p>
      `}
      <label class="row">
        Client
        <select class="inline" aria-keyshortcuts="Alt+Shift+F" value=${a.id} onChange=${l=>i(l.target.value)}>
          ${s.data.map(l=>c`<option key=${l.id} value=${l.id}>${l.title}</option>`)}
        </select>
      </label>
      <${Vi} key=${`${e} ${a.id}`} client=${a} />
    </div>
  `}function Vi({client:{id:e,title:t,source:n,checked:s,files:o,steps:r}}){return c`
    <section class="card stack padded client-settings" aria-label=${t}>
      ${o.map(({path:i,text:a})=>c`
          <div key=${i} class="stack">
            <div class="row spread">
              <code>${i}</code>
              <${j} text=${a} label=${`Copy settings for ${t}`} class="small" />
            </div>
            <pre class="code-box" tabindex="0" aria-label=${`Content of ${i}`}>${a}</pre>
          </div>
        `)}
      ${r.length>0&&c`
        <div class="row spread">
          <strong>${o.length===0?"What to enter":"Other steps"}</strong>
          <${j}
            text=${r.join(`
`)}
            label=${o.length===0?`Copy settings for ${t}`:"Copy steps"}
            class="small"
          />
        </div>
        <pre class="code-box" tabindex="0" aria-label=${`Steps for ${t}`}>${r.join(`
`)}</pre>
      `}
      ${o.length>0&&c`
        <p class="hint">
          <code>sluice connect ${e} --url ${location.origin}</code> shows the changes of the file and
          writes them, with a backup.
        </p>
      `}
      <p class="hint">
        From <a href=${n} target="_blank" rel="noreferrer">${n}</a>, ${s}.
      </p>
    </section>
  `}var Ro={};Me(Ro,{default:()=>Eo});var Yi=/^(\s*)((?:- +)*)(?:(["']?)([^\s"'#,{}[\]][^"'#,{}[\]]*?)\3\s*:(?=\s|$))?\s*(.*)$/;function go(e,t){let n=e.split(`
`),s=e.slice(0,t).split(`
`).length-1,o=e.slice(0,t).split(`
`)[s];if(/(?:^|\s)#/.test(o)||o.includes("	"))return;let r=me(o),{steps:i,prefix:a,isKey:l,siblings:u}=zi(r),{path:d,providerLine:p,above:f}=Qi(n,s,r),m=i.length>0||r.key!==void 0;return{path:[...d,...i],prefix:a,isKey:l,siblings:u??(m?[]:[...f,...ea(n,s,r.column)]),kind:d[0]==="providers"||i[0]==="providers"?ta(n,p??s):void 0}}function me(e){let[,t,n,,s,o]=Yi.exec(e)??["","","","",void 0,""];return{indent:t.length,marks:n.length,column:t.length+n.length,key:s,rest:o}}function zi({key:e,rest:t}){let n=e===void 0?[]:[e],s=[],o=0;for(let{0:u,index:d}of t.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[{}\],]/g)){if(u.length>1)continue;let p=/([^\s"'{},[\]:]+)["']?\s*:\s*$/.exec(t.slice(o,d))?.[1];if(u==="{"||u==="[")p!==void 0&&n.push(p),u==="["&&n.push("[]"),s.push({mark:u,count:(p===void 0?0:1)+(u==="["?1:0),keys:[]});else if(u!==","){let{count:f}=s.pop()??{count:0};n.splice(n.length-f)}if(u===","&&s.length>0){let f=/^\s*["']?([^\s"'{},[\]:]+)["']?\s*:/.exec(t.slice(o,d))?.[1];f!==void 0&&s.at(-1).keys.push(f)}o=d+1}let r=t.slice(o),i=s.at(-1),a=i?.mark==="{"?/^\s*["']?([^\s"':]+)["']?\s*:\s+(.*)$/.exec(r):null;a!==null&&n.push(a[1]);let l=a!==null||i?.mark==="["||i===void 0&&e!==void 0;return{steps:n,prefix:(a?.[2]??r).trimStart().replace(/^["']/,""),isKey:!l,siblings:i?.mark==="{"?i.keys:void 0}}function Qi(e,t,{indent:n,marks:s,column:o}){let r=[],i=[],a=o,l=s>0;l&&(r.push("[]"),a=n+1);for(let u=t-1;u>=0&&a>0;u--){let d=e[u];if(/^\s*(#|$)/.test(d))continue;let{indent:p,marks:f,column:m,key:h,rest:y}=me(d);if(m===a&&!l&&h!==void 0&&r.length===0&&i.push(h),f>0&&m===a&&!l){r.unshift("[]"),a=p+1,l=!0;continue}if(m>=a||h===void 0||/^[^&!#\s]/.test(y)){if(m<a&&h===void 0)break;continue}r.unshift(h),a=m,l=!1,f>0&&(r.unshift("[]"),a=p+1,l=!0)}return{path:r,above:i,providerLine:Zi(e,t,r)}}function Zi(e,t,[n,s]){if(!(n!=="providers"||s===void 0))for(let o=t;o>=0;o--){let{key:r,column:i}=me(e[o]);if(r===s&&i>0)return o}}function ea(e,t,n){let s=[];for(let o of e.slice(t+1)){if(/^\s*(#|$)/.test(o))continue;let r=me(o);if(r.column<n||r.marks>0)break;r.column===n&&r.key!==void 0&&s.push(r.key)}return s}function ta(e,t){let{column:n}=me(e[t]??"");for(let s=t;s<e.length;s++){if(s>t&&e[s].trim()!==""&&me(e[s]).column<=n)return;let o=/(?:^|[\s{,])kind:\s*["']?([\w-]+)/.exec(e[s])?.[1];if(o!==void 0)return o}}function bo(e,t){if(t===void 0)return[];let{isKey:n,prefix:s,siblings:o}=t,r=Dt(e,t),i=n?sa(r,e,o):Bt(r),a=s.toLowerCase();return i.filter(({text:l})=>l.toLowerCase().includes(a)&&l!==s).sort((l,u)=>$o(l,a)-$o(u,a)).slice(0,50)}function Ft(e,t){return e===void 0?[]:yo(Dt(e,t),e,[])}function lt(e,t){return e===void 0?[]:Bt(Dt(e,t)).map(({text:n})=>n)}function yo(e,t,n){let s=new Map;for(let[o,r]of e.flatMap(({properties:i={}})=>Object.entries(i))){let i=Oe(r,t),a=[...new Set(i.flatMap(({type:m=[]})=>m))],l=Bt(i).map(({text:m})=>m),u=i.some(({const:m,enum:h,type:y=[]})=>m===void 0&&h===void 0&&[y].flat().some($=>["string","number","integer"].includes($))),d=i.find(({description:m})=>m)?.description??"",p=[...n,o];(u||l.length>0)&&s.set(p.join("."),{path:p,types:a,options:u?[]:l,hint:d});let f=n.length===0?yo(i,t,p):[];for(let m of f)s.set(m.path.join("."),m)}return[...s.values()]}function Dt(e,{path:t,kind:n}){let s=Oe(e,e);for(let[o,r]of t.entries())if(s=s.flatMap(i=>Oe(na(i,r),e)),t[0]==="providers"&&o===1&&n!==void 0){let i=s.filter(({properties:a})=>a?.kind?.const===n);i.length>0&&(t[2]??"")!=="kind"&&(s=i)}return s}function $o({text:e},t){return e.toLowerCase().startsWith(t)?0:1}function na({properties:e,additionalProperties:t,items:n},s){return s==="[]"?n:e!==void 0&&Object.hasOwn(e,s)?e[s]:typeof t=="object"?t:void 0}function Oe(e,t){if(typeof e!="object"||e===null)return[];let{$ref:n,anyOf:s=[],oneOf:o=[],allOf:r=[]}=e,a=[...n===void 0?[]:[n.split("/").slice(1).reduce((l,u)=>l?.[u],t)],...s,...o,...r];return[e,...a.flatMap(l=>Oe(l,t))]}function sa(e,t,n){let s=new Map;for(let{properties:o={}}of e)for(let[r,i]of Object.entries(o)){if(n.includes(r)||s.has(r))continue;let a=Oe(i,t),l=a.some(({type:d})=>d==="object"||d==="array")&&!a.some(({type:d})=>d==="string"),u=a.find(({description:d})=>d)?.description??"";s.set(r,{text:r,insert:l?`${r}:`:`${r}: `,hint:u})}return[...s.values()]}function Bt(e){let t=new Map;for(let{const:n,enum:s=[],type:o,default:r}of e){let i=[...n===void 0?[]:[n],...s,...o==="boolean"?[!0,!1]:[]];for(let a of i){let l=String(a);t.set(l,{text:l,insert:l,hint:a===r?"the default":""})}}return[...t.values()]}var Ut=20;function vo({text:e,schema:t,problems:n,target:s,onInput:o}){let r=_(null),i=_(null),[a,l]=g(void 0);x(()=>{s!==void 0&&ra(r.current,s)},[s]),Ie(()=>{a!==void 0&&document.getElementById(`config-option-${a.active}`)?.scrollIntoView({block:"nearest"})},[a]);let u=h=>{let{selectionStart:y,selectionEnd:$,value:v,scrollTop:b,scrollLeft:w}=r.current,E=y===$&&t?go(v,y):void 0,Re=h||(E?.prefix??"")!==""?bo(t,E):[];if(Re.length===0)return l(void 0);let C=v.slice(0,y).split(`
`);l({options:Re,active:0,length:E.prefix.length,top:C.length*Ut-b,column:C.at(-1).length-E.prefix.length,scrollLeft:w})},d=({insert:h})=>{let{selectionStart:y}=r.current;r.current.setSelectionRange(y-a.length,y),l(void 0),wo(h)},p=h=>{let{key:y,ctrlKey:$,altKey:v,metaKey:b}=h;if($&&y===" ")return h.preventDefault(),u(!0);if(!($||v||b)){if(a!==void 0){let{options:w,active:E}=a,X={ArrowDown:1,ArrowUp:w.length-1}[y];if(X!==void 0)return h.preventDefault(),l({...a,active:(E+X)%w.length});if(y==="Enter"||y==="Tab")return h.preventDefault(),d(w[E]);if(y==="Escape")return h.stopPropagation(),l(void 0)}y==="Enter"&&(h.preventDefault(),wo(`
${oa(r.current)}`))}},f=new Set(n.map(({line:h})=>h)),m=e.split(`
`).length;return c`
    <div class="yaml-editor">
      <div class="yaml-lines" ref=${i} aria-hidden="true">
        <pre>${Array.from({length:m},(h,y)=>y+1).join(`
`)}</pre>
        ${[...f].filter(Boolean).map(h=>c`
            <span key=${h} style=${{top:`${(h-1)*Ut}px`}}>${h}</span>
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
        onBlur=${()=>l(void 0)}
        onClick=${()=>l(void 0)}
        onScroll=${h=>{i.current.scrollTop=h.target.scrollTop,l(void 0)}}
      ></textarea>
      <ul
        id="config-options"
        role="listbox"
        aria-label="Suggestions"
        hidden=${a===void 0}
        style=${a&&{top:`${a.top}px`,left:`calc(var(--gutter) + 8px + ${a.column}ch - ${a.scrollLeft}px)`}}
        onMouseDown=${h=>h.preventDefault()}
      >
        ${a?.options.map((h,y)=>c`
            <li
              key=${h.text}
              id=${`config-option-${y}`}
              role="option"
              aria-selected=${String(y===a.active)}
              onClick=${()=>d(h)}
            ><span class="mono">${h.text}</span> <span class="small">${h.hint}</span></li>
          `)}
      </ul>
    </div>
  `}function wo(e){document.execCommand("insertText",!1,e)}function oa({value:e,selectionStart:t}){let n=e.slice(0,t).split(`
`).at(-1),[,s,o]=/^(\s*)((?:- )*)/.exec(n),r=s+" ".repeat(o.length);return/:\s*$/.test(n)?`${r}  `:r}function ra(e,{line:t,column:n=1}){let s=e.value.split(`
`),o=s.slice(0,t-1).reduce((r,{length:i})=>r+i+1,0);e.focus(),e.setSelectionRange(o+n-1,o+(s[t-1]??"").length),e.scrollTop=Math.max(0,(t-5)*Ut),e.scrollLeft=0}var ia=(e,t)=>e.join(`
`)===t.join(`
`);function D(e,t){return e.fields.find(n=>ia(n.path,t))}function ko(e,t){let n=t.join(".");return e.kept.some(s=>s===n||n.startsWith(`${s}.`))}function aa(e,t,n,s){let o=[...e.path,...t],r=n.trim();return r===""?{path:o,remove:!0}:{path:o,value:la(r,s)}}function la(e,t){return t.includes("boolean")&&/^(true|false)$/.test(e)?e==="true":(t.includes("number")||t.includes("integer"))&&/^\d+(\.\d+)?$/.test(e)?Number(e):e}function W({object:e,path:t,label:n,hint:s,types:o=[],options:r=[],isRequired:i,onEdit:a}){let l=L("form"),u=D(e,t),d=ko(e,t)||u?.items!==void 0,p=String(u?.value??""),[f,m]=g(void 0),y={id:l,onChange:async({target:$})=>{$.value.trim()===""&&(i||u===void 0)?$.value=p:$.value!==p&&await a([aa(e,t,$.value,[...o,typeof u?.value])]),m(void 0)},"aria-describedby":s||d?`${l}-hint`:void 0};return c`
    <div class="field">
      <label for=${l}>${n}</label>
      ${d&&c`<input id=${l} disabled aria-describedby=${`${l}-hint`} />`}
      ${!d&&r.length===0&&c`
        <input
          ...${y}
          value=${f??p}
          onInput=${({target:$})=>m($.value)}
          inputmode=${o.some($=>$==="number"||$==="integer")?"decimal":void 0}
          autocomplete="off"
          spellcheck=${!1}
        />
      `}
      ${!d&&r.length>0&&c`
        <select ...${y} value=${p}>
          ${!(i&&u)&&c`<option value="">not set</option>`}
          ${p!==""&&!r.includes(p)&&c`
            <option value=${p}>${p}</option>
          `}
          ${r.map($=>c`<option key=${$} value=${$}>${$}</option>`)}
        </select>
      `}
      ${(s||d)&&c`
        <span class="hint" id=${`${l}-hint`}>
          ${d?"Only the text can change it.":s}
        </span>
      `}
    </div>
  `}function ca(e,t,n){let s=Array.from({length:e},(o,r)=>r);return n<0||n>=e||s.splice(n,0,...s.splice(t,1)),s}function ua(e,t){let[n,s]=g(void 0),o=(a,l)=>[...e.current.children].filter((u,d)=>{let{height:p,top:f}=u.getBoundingClientRect();return d!==a&&f+p/2<l}).length;return{handleOf:a=>({onPointerDown(l){l.button===0&&(l.currentTarget.setPointerCapture(l.pointerId),s({from:a,to:a}))},onPointerMove({clientY:l}){n?.from===a&&s({from:a,to:o(a,l)})},onPointerUp({clientY:l}){n?.from===a&&t(a,o(a,l)),s(void 0)},onPointerCancel:()=>s(void 0),onKeyDown(l){let u={ArrowUp:-1,ArrowDown:1}[l.key];if(l.key==="Escape"&&n!==void 0)s(void 0);else{if(u===void 0)return;t(a,a+u)}l.preventDefault()}}),classOf:a=>n===void 0?"":n.from===a?"dragged":n.to!==a?"":n.to<n.from?"drop-above":"drop-below"}}function ct({object:e,path:t,label:n,isOrdered:s,suggestions:o=[],onEdit:r,detailsOf:i,stepTextOf:a}){let l=L("list"),u=_(null),d=_(void 0),p=D(e,t),f=p?.items??(p===void 0?[]:[{name:String(p.value),is_text:!1}]),m=f.map((b,w)=>w),h=b=>{let w=[...e.path,...t];r([p===void 0?{path:w,value:b}:{path:w,items:b}])},y=(b,w,E="grip")=>{b===w||w<0||w>=f.length||(d.current=`[data-at="${w}"][data-control="${E}"]`,h(ca(f.length,b,w)))},{handleOf:$,classOf:v}=ua(u,y);return Ie(()=>{d.current!==void 0&&u.current?.querySelector(d.current)?.focus(),d.current=void 0},[f.map(({name:b})=>b).join(`
`)]),ko(e,t)?c`<p class="hint">${n}: only the text can change this list.</p>`:c`
    <div class="field" role="group" aria-labelledby=${l}>
      <span class="label" id=${l}>${n}</span>
      <ol class=${`config-chain${a?" graph":""}`} ref=${u}>
        ${f.map((b,w)=>c`
            <li
              key=${`${b.name} ${w}`}
              class=${v(w)}
              data-step=${w>0?a?.(b,w):void 0}
            >
              ${s&&f.length>1&&c`
                <${O}
                  icon="grip"
                  class="grip"
                  data-at=${w}
                  data-control="grip"
                  label=${`Move ${b.name}: drag, or up and down arrow keys`}
                  ...${$(w)}
                />
              `}
              <span class="mono"><${Zt} text=${b.name} /></span>
              ${b.is_text&&!(i&&b.fields)&&c`
                <span class="badge" title="Its other members are unchanged in the text">text</span>
              `}
              ${s&&[["up",-1],["down",1]].map(([E,X])=>c`
                  <${O}
                    key=${E}
                    icon=${E}
                    data-at=${w}
                    data-control=${E}
                    label=${`Move ${b.name} ${E}`}
                    disabled=${f[w+X]===void 0}
                    onClick=${()=>y(w,w+X,E)}
                  />
                `)}
              <${O}
                icon="close"
                label=${`Remove ${b.name}`}
                disabled=${f.length<2}
                onClick=${()=>h(m.filter(E=>E!==w))}
              />
              ${i?.(b,w)}
            </li>
          `)}
      </ol>
      <${da}
        label=${n}
        suggestions=${o}
        onAdd=${b=>h([...m,b])}
      />
    </div>
  `}function da({label:e,suggestions:t,onAdd:n}){let s=L("names"),[o,r]=g("");return c`
    <form class="row nowrap" onSubmit=${a=>{a.preventDefault(),o.trim()!==""&&(n(o.trim()),r(""))}}>
      <input
        aria-label=${`One more: ${e}`}
        list=${s}
        value=${o}
        autocomplete="off"
        spellcheck=${!1}
        onInput=${({target:a})=>r(a.value)}
      />
      <datalist id=${s}>
        ${t.map(a=>c`<option key=${a} value=${a} />`)}
      </datalist>
      <button type="submit" disabled=${o.trim()===""}><${M} name="add" /> Add</button>
    </form>
  `}function xo({section:e,object:t,objects:n,schema:s,onEdit:o,onRemove:r}){let i={object:t,schema:s,objects:n,onEdit:o},a={providers:ha,aliases:ga,server:wa,limits:va}[e],l=t.kept.filter(u=>u!=="");return c`
    <${a} ...${i} />
    ${t.kept.includes("")&&c`
      <p class="hint">Parts of it can only be changed in the text.</p>
    `}
    ${l.length>0&&c`
      <p class="hint">Members that can only be changed in the text: <code>${l.join(", ")}</code></p>
    `}
    <div>
      <button type="button" class="quiet small" onClick=${r}>
        Remove from the text
      </button>
    </div>
  `}function Kt({object:e,schema:t,place:n,known:s,onEdit:o}){let r=L("setting"),[i,a]=g([]),l=new Map(Ft(t,n).map(m=>[m.path.join("."),m])),u=e.fields.filter(({path:m,items:h})=>m.length>0&&h===void 0&&!s.includes(m[0])).map(({path:m})=>m.join(".")),d=[...l.keys()].filter(m=>!s.includes(m.split(".")[0])&&!fa(e,m)),p=[...u,...i.filter(m=>d.includes(m))],f=d.filter(m=>!i.includes(m));return c`
    ${p.map(m=>{let{path:h=m.split("."),types:y,options:$,hint:v}=l.get(m)??{};return c`
        <${W} key=${m} label=${m} ...${{object:e,path:h,types:y,options:$,hint:v,onEdit:o}} />
      `})}
    ${f.length>0&&c`
      <div class="field">
        <label for=${r}>More settings</label>
        <select
          id=${r}
          class="config-more"
          value=""
          onChange=${({target:m})=>{a([...i,m.value]),m.value=""}}
        >
          <option value="">Add a setting …</option>
          ${f.map(m=>c`<option key=${m} value=${m}>${m}</option>`)}
        </select>
      </div>
    `}
  `}function fa({fields:e,kept:t},n){return[...e.map(({path:o})=>o.join(".")),...t].some(o=>o===n||o.startsWith(`${n}.`)||n.startsWith(`${o}.`))}var pa="A reference such as ${OPENAI_API_KEY}. A provider whose variable is not set is disabled.",ma=["kind","base_url","api_key","models"];function ha({object:e,schema:t,onEdit:n}){let s={object:e,onEdit:n},o=D(e,["kind"])?.value;return c`
    <${W} ...${s} path=${["kind"]} label="Kind" options=${Jt(t)} isRequired />
    <${W}
      ...${s}
      path=${["base_url"]}
      label="Base URL"
      hint="Empty: the default of its kind, if there is one"
    />
    <${W} ...${s} path=${["api_key"]} label="API key" hint=${pa} />
    <${ct} ...${s} path=${["models"]} label="Models" isOrdered />
    <${Kt}
      ...${{...s,schema:t,known:ma}}
      place=${{path:["providers",e.name],kind:o}}
    />
  `}var $a=["model","weight","when"];function ga({object:e,objects:t,schema:n,onEdit:s}){let o=e.fields.some(({path:h})=>h.length>0)||e.kept.some(h=>h!==""),r=o?["targets"]:[],i={path:["aliases",e.name]},a=D(e,r)?.items??[],l=D(e,["balance"])?.value??(a.some(h=>Ht(h,"weight")!==void 0)?"weighted":"in_order"),u=D(e,["hedge","after"])?.value,d=(h,y)=>(!h.is_text||h.fields?.every(({path:[$]})=>$a.includes($)))&&a.length>1&&c`
      <${ba}
        ...${{item:h,schema:n,onEdit:s}}
        path=${[...e.path,...r,y]}
      />
    `,p=(h,y)=>{if(l!=="in_order")return`or, by ${l}`;let $=Ht(h,"when");return`after ${$===void 0?"a failure":$.map(Wt).join(", ")}${u&&y===1?`; as a hedge after ${u}`:""}`},f=([{path:[,,...h],value:y}])=>s([{path:e.path,value:{targets:D(e,[])?.items?.map(({name:$})=>$)??[D(e,[]).value],...So(h,y)}}]),m=o||a.every(({is_text:h})=>!h);return c`
    <${ct}
      ...${{object:e,path:r,onEdit:s,detailsOf:d,stepTextOf:p}}
      label="Targets, tried in this order"
      suggestions=${_o(t)}
      isOrdered
    />
    ${m&&c`
      <${Kt}
        ...${{object:e,schema:n,place:i,known:["targets"]}}
        onEdit=${o?s:f}
      />
    `}
  `}var So=([e,...t],n)=>({[e]:t.length===0?n:So(t,n)}),Wt=e=>e.replaceAll("_"," ");function Ht({fields:e=[]},t){let n=D({fields:e},[t]);return n?.items?.map(({name:s})=>s)??n?.value}function ba({item:e,path:t,schema:n,onEdit:s}){let{name:o,fields:r=[{path:["model"],value:o}]}=e,[i,a]=["weight","when"].map(m=>Ht(e,m)),l=lt(n,{path:["aliases","","targets","[]","when","[]"]}),u=e.fields===void 0,d=([{path:m,value:h}])=>s(u?[{path:t,value:{model:o,[m.at(-1)]:h}}]:[h===void 0?{path:m,remove:!0}:{path:m,value:h}]),p=(m,h)=>{let y=l.filter(v=>v===m?h:a?.includes(v)??!1),$=[...t,"when"];y.length===0?d([{path:$}]):a===void 0?d([{path:$,value:y}]):s([{path:$,items:y}])},f=[i!==void 0&&`weight ${i}`,a!==void 0&&`after ${a.map(Wt).join(", ")}`].filter(Boolean).join("; ");return c`
    <details class="config-entry">
      <summary>${f||"Weight and failures"}<span class="only-read"> of ${o}</span></summary>
      <${W}
        object=${{path:t,fields:r,kept:[]}}
        path=${["weight"]}
        label="Weight"
        types=${["number"]}
        hint="Share of the requests that try it first, relative to the other weights"
        onEdit=${d}
      />
      <fieldset>
        <legend>Tried after these failures</legend>
        ${l.map(m=>c`
            <label key=${m} class="row nowrap">
              <input
                type="checkbox"
                checked=${a?.includes(m)??!1}
                onChange=${({target:h})=>p(m,h.checked)}
              />
              ${Wt(m)}
            </label>
          `)}
      </fieldset>
      <p class="hint">None chosen: all failures except too long prompts and content filters</p>
    </details>
  `}var ya=["name","owner","team","note","key","models","budget","limits"];function wa({object:e,objects:t,schema:n,onEdit:s}){let o={object:e,onEdit:s},r=[["name","Name"],["owner","Owner"],["team","Team"],["note","Note"]],i=D(e,["budget","usd"])!==void 0,a=l=>{let u=[...e.path,"budget"];return l[0].remove?s([{path:u,remove:!0}]):s(i?l:[{path:u,value:{usd:l[0].value,per:"month"}}])};return c`
    <div class="config-pair">
      ${r.map(([l,u])=>c`
          <${W}
            key=${l}
            ...${o}
            path=${[l]}
            label=${u}
            isRequired=${l==="name"}
          />
        `)}
    </div>
    <${W} ...${o} path=${["key"]} label="Key" hint="A reference, or sha256:…"
      isRequired />
    <${ct}
      ...${o}
      path=${["models"]}
      label="Models that it may use; all if none is listed"
      suggestions=${_o(t)}
    />
    <div class="config-pair">
      <${W}
        object=${e}
        onEdit=${a}
        path=${["budget","usd"]}
        label="Budget in USD"
        types=${["number"]}
      />
      ${i&&c`
        <${W}
          ...${o}
          path=${["budget","per"]}
          label="Per"
          options=${lt(n,{path:["server","keys","[]","budget","per"]})}
          isRequired
        />
      `}
    </div>
    <${Co} ...${{object:e,schema:n,onEdit:s}} path=${["limits"]} />
    <${Kt}
      ...${{...o,schema:n,known:ya}}
      place=${{path:["server","keys","[]"]}}
    />
  `}function va({object:e,schema:t,onEdit:n}){return c`<${Co} ...${{object:e,schema:t,onEdit:n}} path=${[]} />`}function Co({object:e,schema:t,path:n,onEdit:s}){return c`
    <div class="config-pair">
      ${Ft(t,{path:["limits"]}).map(({hint:o,path:[r]})=>c`
          <${W}
            key=${r}
            ...${{object:e,onEdit:s}}
            path=${[...n,r]}
            label=${o.split(",")[0]}
            types=${["integer"]}
          />
        `)}
    </div>
  `}function Jt(e){return lt(e,{path:["providers","","kind"]}).sort()}function _o(e){let t=e.filter(({path:n})=>n[0]==="providers").flatMap(n=>(D(n,["models"])?.items??[]).flatMap(({name:s})=>[s,`${s}@${n.name}`]));return[...new Set(t)].sort()}var ka=400,ut=[{id:"providers",label:"Providers",one:"a provider"},{id:"aliases",label:"Aliases",one:"an alias"},{id:"server",label:"Keys",one:"a key"},{id:"limits",label:"Limits",one:"limits"}];function Ao({text:e,schema:t,onEdit:n,onGo:s}){let{objects:o,error:r,isOld:i,apply:a}=Ca(e,n),[l,u]=g(ut[0]),[d,p]=g(void 0),f=L("object"),m=(o??[]).filter(({path:b})=>b[0]===l.id),h=m.find(({path:b})=>b.join(`
`)===d)??m[0],y=new Map(ut.map(({id:b})=>[b,(o??[]).filter(({path:w})=>w[0]===b).length])),$=b=>{u(ut.find(w=>w.id===b)),p(void 0)},v=d==="";return c`
    <section class="card padded stack config-forms" aria-labelledby="forms-title">
      <div class="row spread">
        <h2 id="forms-title">Forms</h2>
        <div role="status">${i&&!r&&c`<${I} text="Reading" />`}</div>
      </div>
      <${F}
        label="Section"
        value=${l.id}
        options=${ut.map(({id:b,label:w})=>[b,`${w} ${y.get(b)}`])}
        onChange=${$}
      />
      <${A} error=${r} title="The form cannot change the text" />
      ${o&&c`
        <div class="row nowrap">
          <div class="field config-object">
            <label for=${f}>Object</label>
            <select
              id=${f}
              value=${v?"":h?.path.join(`
`)}
              onChange=${({target:b})=>p(b.value)}
            >
              ${m.map(b=>c`
                  <option key=${b.path.join(`
`)} value=${b.path.join(`
`)}>
                    ${b.name===""?"Defaults of all keys":b.name}
                  </option>
                `)}
              <option value="">Add ${l.one} …</option>
            </select>
          </div>
          ${h&&!v&&c`
            <button type="button" class="link" onClick=${()=>s({line:h.first_line})}>
              ${h.first_line===h.last_line?`Line ${h.first_line}`:`Lines ${h.first_line}\u2013${h.last_line}`}
            </button>
          `}
        </div>
        ${h&&!v?c`
            <${xo}
              key=${h.path.join(`
`)}
              ...${{section:l.id,object:h,objects:o,schema:t}}
              onEdit=${a}
              onRemove=${()=>a([{path:h.path,remove:!0}])}
            />
          `:c`
            <${Aa}
              key=${l.id}
              ...${{section:l,listed:m,schema:t}}
              onAdd=${async b=>{await a([b])&&p(b.path.join(`
`))}}
            />
          `}
      `}
    </section>
  `}var xa="This object has changed in the text meanwhile. The form shows it as it is now: make the change again";function Sa(e,t,n){let s=a=>a.findLast(l=>l.path.every((u,d)=>u===n[d])),[o,r]=[s(e),s(t)],i=({fields:a,kept:l,name:u})=>JSON.stringify([a,l,u]);return o===void 0||r===void 0?o===r:i(o)===i(r)}function Ca(e,t){let[n,s]=g({}),o=_(e);o.current=e;let r=(l,u,d)=>R("/v1/admin/config/form",{body:{text:l,edits:u},signal:d}),i=n.text!==e;return x(()=>{if(!i)return;let l=new AbortController,{signal:u}=l,d=setTimeout(()=>{r(e,[],u).then(({objects:p})=>u.aborted||s(f=>f.text===e?f:{text:e,objects:p}),p=>u.aborted||s(f=>({...f,text:e,error:p})))},n.text===void 0?0:ka);return()=>{clearTimeout(d),l.abort()}},[e]),{...n,isOld:i,apply:async l=>{try{for(;;){let u=o.current;if(u!==n.text){let{objects:p}=await r(u,[]);if(!Sa(n.objects,p,l[0].path))return s({text:u,objects:p,error:new Error(xa)}),!1}let d=await r(u,l);if(o.current===u)return s({text:d.text,objects:d.objects}),t(d.text),!0}}catch(u){return s(d=>({...d,error:u})),!1}}}}var _a={providers:["API key, such as ${OPENAI_API_KEY}",(e,t)=>({kind:t,...e!==""&&{api_key:e}})],aliases:["First target",e=>e],server:["Key, such as ${TEAM_KEY}",(e,t,n)=>({name:n,key:e})],limits:["Requests per minute",e=>({requests_per_minute:/^\d+$/.test(e)?Number(e):e})]};function Aa({section:e,listed:t,schema:n,onAdd:s}){let o=[L("new"),L("new"),L("new")],[r,i]=g(""),[a,l]=g("openai"),[u,d]=g(""),[p,f]=_a[e.id],m=e.id==="limits",h=t.some(b=>b.name===r.trim()),y=!h&&(r.trim()!==""||m)&&(e.id==="providers"||u.trim()!==""),$=b=>{b.preventDefault();let w={server:["server","keys",t.length],limits:r.trim()===""?["limits"]:["limits","models",r.trim()]}[e.id]??[e.id,r.trim()];y&&s({path:w,value:f(u.trim(),a,r.trim())})},v={autocomplete:"off",spellcheck:!1};return c`
    <form class="stack" onSubmit=${$}>
      <div class="field">
        <label for=${o[0]}>${m?"Model":"Name"}</label>
        <input
          ...${v}
          id=${o[0]}
          value=${r}
          onInput=${({target:b})=>i(b.value)}
        />
        ${m&&c`<span class="hint">Empty: the defaults of all keys</span>`}
        ${h&&c`<span class="fault">The text has it already.</span>`}
      </div>
      ${e.id==="providers"&&c`
        <div class="field">
          <label for=${o[1]}>Kind</label>
          <select id=${o[1]} value=${a} onChange=${({target:b})=>l(b.value)}>
            ${Jt(n).map(b=>c`<option key=${b} value=${b}>${b}</option>`)}
          </select>
        </div>
      `}
      <div class="field">
        <label for=${o[2]}>${p}</label>
        <input
          ...${v}
          id=${o[2]}
          value=${u}
          onInput=${({target:b})=>d(b.value)}
        />
      </div>
      <div><button type="submit" disabled=${!y}>Add to the text</button></div>
    </form>
  `}function Oo(){let{data:e,error:t}=K(o=>R("/v1/admin/providers",{signal:o}),[]),[n,s]=g(void 0);return c`
    <section class="card titled" aria-labelledby="tests-title">
      <h2 id="tests-title">Test a provider</h2>
      <${A} error=${t} title="The providers cannot be listed" />
      ${!e&&!t&&c`<${I} />`}
      ${e&&c`
        <${rn} label="Providers">
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Kind</th>
              <th scope="col">State</th>
              <th scope="col"><span class="only-read">Test</span></th>
            </tr>
          </thead>
          <tbody>
            ${e.data.map(({id:o,kind:r,state:i,reason:a})=>c`
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
      ${n&&c`<${Oa} id=${n} onClose=${()=>s(void 0)} />`}
    </section>
  `}function Oa({id:e,onClose:t}){let n=`/v1/admin/providers/${encodeURIComponent(e)}/test`,{data:s,error:o}=K(f=>R(n,{signal:f}),[e]),[r,i]=g(void 0),[a,l]=g(void 0),u=r??s?.models[0]?.id??"",d=s?.models.find(f=>f.id===u)?.max_cost_usd,p=async f=>{if(f.preventDefault(),a?.isBusy)return;let m=performance.now();l({isBusy:!0});try{let h=await le(n,{body:{model:u}});l({headers:h.headers,answer:await h.json()})}catch(h){l({failure:h,ms:performance.now()-m})}};return c`
    <${ce} title=${`Test ${e}`} onClose=${t} class="narrow">
      <form class="stack" onSubmit=${p}>
        <${A} error=${o} title="It cannot be tested" />
        ${!s&&!o&&c`<${I} />`}
        ${s&&c`
          <div class="field">
            <label for="test-model">Model</label>
            <select
              id="test-model"
              value=${u}
              onChange=${f=>{i(f.target.value),l(void 0)}}
            >
              ${s.models.map(f=>c`<option key=${f.id} value=${f.id}>${f.id}</option>`)}
            </select>
          </div>
          <p>
            It sends <q>${s.prompt}</q> and asks for ${T(s.max_output_tokens)} token. Cost:
            ${" "}<strong>${d==null?"unknown, its price is not known":`at most ${H(d)}`}</strong>.
          </p>
        `}
        <div role="status" class="stack">
          ${a?.isBusy&&c`<${I} text="Waiting for the provider" />`}
          ${a?.answer&&c`<${Ea} ...${a} />`}
        </div>
        ${a?.failure&&c`
          <${A} error=${a.failure} title=${`Failed after ${N(a.ms)}`} />
        `}
        <div class="row end">
          <button type="button" onClick=${t}>Close</button>
          <button type="submit" class="primary" disabled=${u===""||a?.isBusy}>
            Send the test
          </button>
        </div>
      </form>
      <//>
  `}function Ea({answer:e,headers:t}){let n=t.get("x-sluice-cost-usd"),{usage:s}=e,o=[["Status","200"],["Latency",N(e.ms)],["Answer",e.answer===""?"no text":e.answer],["Tokens",s?`${T(s.prompt_tokens)} in, ${T(s.completion_tokens)} out`:"unknown"],["Cost",n===null?"unknown":H(Number(n))],["Attempts",t.get("x-sluice-attempts")??"1"]];return c`
    <p class="row"><span class="badge good">works</span> ${e.model} answered.</p>
    <${q} class="config-state" facts=${o} />
  `}var Ra=600,Ee;function Eo(){let{hasAdmin:e}=ue();return c`
    <div class="view" data-view="config">
      ${e?c`<${Ta} />`:c`
        <${z} title="Config" />
        <${on} what="The configuration needs an admin key." />
      `}
    </div>
  `}function Ta(){let{data:e,error:t,reload:n,setData:s}=K(o=>R("/v1/admin/config",{signal:o}),[]);return e?c`<${Ma} config=${e} onReload=${n} onConfig=${s} />`:c`
      <${z} title="Config" />
      <${A} error=${t} title="The configuration cannot be shown" />
      ${!t&&c`<${I} text="Loading the configuration" />`}
    `}function Ma({config:e,onReload:t,onConfig:n}){let s=e.file_text??e.text,[o,r]=g(Ee??s),[i,a]=g(void 0),[l,u]=g(""),d=o!==s,p=m=>{Ee=m,r(m),u("")};x(()=>{d||(Ee=void 0);let m=h=>d&&h.preventDefault();return addEventListener("beforeunload",m),()=>removeEventListener("beforeunload",m)},[d]),x(()=>{Ee===void 0&&r(s)},[s]);let f=m=>{Ee=void 0,r(m.file_text??m.text),n(m),a(void 0),u(m.valid?"Saved and in use.":"Saved, but not in use.")};return c`
    <${z} title="Config" note=${e.source}>
      <button type="button" onClick=${t} aria-keyshortcuts="Alt+Shift+R">
        <${M} name="retry" /> Refresh
      </button>
      <${j} text=${()=>o} label="Copy" class="" />
      <button type="button" onClick=${()=>an("config.yaml",o,"application/yaml")}>
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
    <${Ia} config=${e} text=${o} onEdit=${p} />
    <p role="status" class=${l===""?"only-read":"row"}>
      ${l!==""&&c`<span class="badge good">saved</span> ${l}`}
    </p>
    <${Na} text=${o} loadedAt=${e.loaded_at} isEdited=${d} onEdit=${p} />
    <${La} versions=${e.versions} onOpen=${m=>a({type:"version",version:m})} />
    <${Oo} />
    ${i?.type==="save"&&c`
      <${$n}
        ...${{config:e,base:s,text:o}}
        onSaved=${f}
        onReload=${()=>{t(),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
    ${i?.type==="version"&&c`
      <${gn}
        version=${i.version}
        base=${s}
        onUse=${m=>{p(m),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
  `}function Ia({config:e,text:t,onEdit:n}){let s=[["In use since",pt(e.loaded_at)],["File",e.valid?"in use":"not in use"],["Saving here",e.editable?"possible":"not possible"]];return c`
    <section class="card padded stack" aria-label="State">
      <${q} class="config-state" facts=${s} />
      ${!e.editable&&c`
        <p class="soft">${e.read_only_reason}. Edit the text here, then copy or download it.</p>
      `}
    </section>
    ${!e.valid&&c`
      <section class="banner bad" aria-labelledby="stale-title">
        <h2 id="stale-title">The file is not used</h2>
        <p>${e.reason}. The gateway uses the configuration before.</p>
        <ul class="faults">
          ${e.faults.map((o,r)=>c`<li key=${r}>${o}</li>`)}
        </ul>
        ${e.file_text!==null&&t!==e.text&&c`
          <p>
            <button type="button" onClick=${()=>n(e.text)}>
              Edit the text that is in use
            </button>
          </p>
        `}
      </section>
    `}
  `}function Na({text:e,loadedAt:t,isEdited:n,onEdit:s}){let{data:o}=K(d=>R("/v1/admin/config/schema",{signal:d}),[]),{check:r,error:i,isChecking:a}=ja(e,t),[l,u]=g(void 0);return c`
    <div class="config-workbench">
      <div class="stack config-side">
        <section class="card padded stack" aria-labelledby="problems-title">
          <div class="row spread">
            <h2 id="problems-title">Problems</h2>
            <div role="status">${a&&c`<${I} text="Checking" />`}</div>
          </div>
          <${A} error=${i} title="Not checked" />
          ${r&&c`
            <${mn} check=${r} onGo=${d=>u({...d})} />
            ${r.unread.length>0&&c`
              <p class="hint">
                New references are read when the file is loaded: ${r.unread.join(", ")}
              </p>
            `}
          `}
        </section>
        <${Ao}
          text=${e}
          schema=${o}
          onEdit=${s}
          onGo=${d=>u({...d})}
        />
        <section class="card titled" aria-labelledby="changes-title">
          <h2 id="changes-title">Changes</h2>
          <div class="config-change-list">
            ${r&&(n||r.changes.length>0)?c`<${hn} check=${r} />`:c`<p class="soft">None yet.</p>`}
          </div>
        </section>
      </div>
      <div class="stack config-text">
        <${vo}
          text=${e}
          schema=${o}
          problems=${r?.problems??[]}
          target=${l}
          onInput=${s}
        />
        <p class="hint" id="config-keys">
          Ctrl Space suggests names and values. Values such as <code>hidden-…</code> stand for
          secrets, which stay as they are.
        </p>
      </div>
    </div>
  `}function ja(e,t){let[n,s]=g({});return x(()=>{let o=new AbortController,{signal:r}=o;s(a=>({...a,isChecking:!0}));let i=setTimeout(()=>{R("/v1/admin/config/check",{body:{text:e},signal:r}).then(a=>r.aborted||s({check:a}),a=>r.aborted||s({error:a}))},Ra);return()=>{clearTimeout(i),o.abort()}},[e,t]),n}function La({versions:e,onOpen:t}){return c`
    <section class="card padded stack" aria-labelledby="versions-title">
      <h2 id="versions-title">History</h2>
      ${e.length===0?c`<p class="soft">Nothing yet: a text that is replaced here is kept.</p>`:c`
          <ul class="config-versions">
            ${e.map(n=>c`
                <li key=${n.id}>
                  <button type="button" class="link" onClick=${()=>t(n)}>
                    ${pt(n.replaced_at)}
                  </button>
                  <span class="soft">replaced by ${n.by}</span>
                  ${n.reason&&c`<span class="wrap-anywhere">${n.reason}</span>`}
                </li>
              `)}
          </ul>
        `}
    </section>
  `}export{ho as clients,Ro as config,po as models,zs as playground};
