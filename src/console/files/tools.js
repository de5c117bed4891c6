import{A as $e,C as je,D as Pe,E as De,F as le,G as mt,I as ge,M as ln,N as qe,O as cn,V as un,W as dn,a as ae,b as tn,e as D,f as pt,h as Z,i as sn,k as Ne,p as on,r as rn,w as an,z as Le}from"./shared2.js";import{D as C,E as q,F as T,G as j,H as G,I as F,J as Qt,K as M,L as N,M as E,N as Ie,O as L,P as H,R as he,T as Q,U as V,a as Re,ba as Zt,c as g,d as x,e as Me,f as _,g as P,i as l,k as pe,l as me,m as Jt,o as Xt,s as Gt,t as Vt,u as ie,v as O,w as Yt,wa as en,x as zt,xa as nn,y as I}from"./shared1.js";var Ws={};Re(Ws,{default:()=>Us});var fn={kind:"number",min:-2,max:2,step:.1},ht=[{name:"temperature",kind:"number",min:0,max:2,step:.1,slider:2},{name:"max_tokens",kind:"integer",min:1,slider:8192},{name:"top_p",kind:"number",min:0,max:1,step:.05,slider:1},{name:"reasoning_effort",kind:"choice",options:["none","minimal","low","medium","high","xhigh","max"]},{name:"response_format",kind:"format",accepts:"object"},{name:"tool_choice",kind:"choice",options:["auto","none","required"]}],be=[{name:"max_completion_tokens",kind:"integer",min:1},{name:"stop",kind:"lines",hint:"One sequence per line"},{name:"seed",kind:"integer"},{name:"frequency_penalty",...fn},{name:"presence_penalty",...fn},{name:"logit_bias",kind:"json",accepts:"object",hint:"Token ID: -100 to 100"},{name:"verbosity",kind:"choice",options:["low","medium","high"]},{name:"parallel_tool_calls",kind:"boolean"},{name:"service_tier",kind:"choice",options:["auto","default","flex","priority"]},{name:"store",kind:"boolean"},{name:"user",kind:"text"},{name:"metadata",kind:"json",accepts:"object"},{name:"models",kind:"lines",hint:"Models to try after the first, one per line"},{name:"other",label:"other members",kind:"json",accepts:"object",hint:"Any further members of the body, such as top_k"},{name:"x-sluice-strict",kind:"boolean",hint:"Refuse the request if a parameter would be ignored"},{name:"x-sluice-deadline-ms",kind:"integer",min:1,max:999999999},{name:"x-sluice-tags",kind:"text",hint:"For usage reports, separated by commas"}],pn=new Map([...ht,...be].map(e=>[e.name,e]));function $t(e){return pn.get(e)}function ye(e,t){if(t.trim()==="")return{};switch(e.kind){case"number":case"integer":return Eo(e,t.trim());case"boolean":return t==="true"||t==="false"?{value:t==="true"}:{error:"Must be true or false"};case"lines":return{value:t.split(`
`).filter(n=>n!=="")};case"format":case"json":return mn(e,t);default:return{value:t.trim()}}}function Eo({kind:e,min:t,max:n},s){let r=/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(s)?Number(s):NaN;return Number.isFinite(r)&&(e==="number"||Number.isInteger(r))&&(t===void 0||r>=t)&&(n===void 0||r<=n)?e==="integer"&&!Number.isSafeInteger(r)?{error:"Must be between -2^53 and 2^53"}:{value:r}:{error:`Must be ${gt({kind:e,min:t,max:n})}`}}function gt({kind:e,min:t,max:n}){let s=e==="integer"?"a whole number":"a number";return t!==void 0&&n!==void 0?`${s} from ${t} to ${n}`:t!==void 0?`${s} of at least ${t}`:s}function mn({accepts:e},t){let n=me(t);if("error"in n)return n;let{value:s}=n;return(Array.isArray(s)?"list":s===null?"null":typeof s)===e?{value:s}:{error:`Must be ${e==="object"?"a JSON object":"a JSON list"}`}}function Fe(e){let t=new Map,n=new Map;for(let[s,o]of pn){let r=ye(o,e[s]??"");"error"in r?n.set(s,r.error):"value"in r&&t.set(s,r.value)}return{values:t,errors:n}}function se(e){if(e.trim()==="")return{};let t=mn({accepts:"list"},e);if("error"in t)return t;for(let[n,s]of t.value.entries()){let o=To(s);if(o!==void 0)return{error:`Tool ${n+1}: ${o}`}}return t.value.length===0?{}:t}function To(e){if(!pe(e))return"must be an object";if(typeof e.type!="string")return`'type' is missing, such as "function"`;if(e.type!=="function")return;if(!pe(e.function))return"'function' is missing";let{name:t}=e.function;return typeof t=="string"&&t!==""?void 0:"'function.name' is missing"}var ee=new Map([["text",'{ "type": "text" }'],["json_object",'{ "type": "json_object" }'],["json_schema",JSON.stringify({type:"json_schema",json_schema:Ro()},null,2)]]);function Ro(){return{name:"city",strict:!0,schema:{type:"object",properties:{city:{type:"string"},country:{type:"string"}},required:["city","country"],additionalProperties:!1}}}function we(e){if(e.trim()==="")return"";let t=me(e).value?.type;return ee.has(t)?t:"json_schema"}var ce=JSON.stringify([{type:"function",function:{name:"get_weather",description:"The current weather of a city",parameters:{type:"object",properties:{city:{type:"string"},unit:{enum:["celsius","fahrenheit"]}},required:["city"]}}}],null,2);function hn(e,t){let n=e.trim()===""?[]:[{role:"system",content:e}];for(let{user:s,steps:o}of t){n.push(Mo(s));for(let r of o)n.push(...Io(r))}return n}function Mo({text:e,images:t}){if(t.length===0)return{role:"user",content:e};let n=t.map(({url:s})=>({type:"image_url",image_url:{url:s}}));return{role:"user",content:e===""?n:[{type:"text",text:e},...n]}}function Io(e){let t=e.toMessage();if(t===void 0)return[];let n=(t.tool_calls??[]).map(({id:s})=>({role:"tool",tool_call_id:s,content:e.toolAnswers.get(s)??""}));return[t,...n]}var $n=["temperature","max_tokens","reasoning_effort"],No=["tool_choice","parallel_tool_calls"];function bt({system:e,parameters:t,tools:n,stream:s,streamUsage:o},{own:r={}}){let i={...t};for(let[a,c]of Object.entries(r.parameters??{}))c.trim()!==""&&(i[a]=c,a==="max_tokens"&&delete i.max_completion_tokens);if(r.tools===!1)for(let a of No)delete i[a];return{system:r.system??e,parameters:i,stream:s,streamUsage:o,tools:r.tools===!1?"":n}}function gn({own:e={}}){return[...e.system===void 0?[]:["own system message"],...Object.entries(e.parameters??{}).filter(([,t])=>t.trim()!=="").map(([t,n])=>`${t} ${n.trim()}`),...e.tools===!1?["no tools"]:[]]}function yt({parameters:e,tools:t,stream:n,streamUsage:s}){let{values:o,errors:r}=Fe(e),i={},a={},c=se(t);"error"in c&&r.set("tools",c.error),n&&(i.stream=!0,s&&(i.stream_options={include_usage:!0,include_cost:!0})),c.value!==void 0&&(i.tools=c.value);for(let[u,d]of o)u.startsWith("x-sluice-")?a[u]=String(d):u==="other"?Object.assign(i,d):i[u]=u==="tool_choice"?jo(d):d;return a["x-sluice-strict"]==="false"&&delete a["x-sluice-strict"],{members:i,headers:a,errors:r}}var Lo=new Set(["auto","none","required"]);function jo(e){return Lo.has(e)?e:{type:"function",function:{name:e}}}function bn(e,t,n){return{model:e,messages:t,...n}}var Ue=class{#a;#s=[];#e=[];#t=[];#n=new Map;#i=new Map;finishReason=null;usage=null;model=null;hasReasoning=!1;constructor(t=()=>{}){this.#a=t}addChunk({model:t,choices:n,usage:s}){typeof t=="string"&&(this.model=t),s&&(this.usage=s);let o=Array.isArray(n)?n.find(({index:r})=>!r):void 0;o!==void 0&&(this.#c(o.delta??{}),o.finish_reason&&(this.finishReason=o.finish_reason))}addCompletion({model:t,choices:n,usage:s}){let[o]=Array.isArray(n)?n:[];this.addChunk({model:t,usage:s,choices:[{...o,index:0,delta:o?.message}]})}#c({content:t,reasoning_content:n,reasoning_details:s,refusal:o,tool_calls:r}){this.#l("reasoning",this.#e,n),this.#l("content",this.#s,t),this.#l("refusal",this.#t,o),Array.isArray(r)&&r.forEach((i,a)=>this.#r(i,i.index??a)),Array.isArray(s)&&s.forEach((i,a)=>this.#o(i,i.index??a))}#l(t,n,s){typeof s!="string"||s===""||(t==="reasoning"&&(this.hasReasoning=!0),n.push(s),this.#a(t,s))}#r({index:t,id:n,type:s,function:o,custom:r,...i},a){let c=this.#n.get(a);c===void 0&&(c={id:"",type:"function",name:"",input:[],others:{}},this.#n.set(a,c)),n&&(c.id=n),s&&(c.type=s);let u=o??r??{};u.name&&(c.name=u.name);let d=u.arguments??u.input;typeof d=="string"&&d!==""&&c.input.push(d),this.#a("call",d??""),Object.assign(c.others,i)}#o({index:t,...n},s){let o=this.#i.get(s);if(o===void 0){this.#i.set(s,{...n});return}for(let[r,i]of Object.entries(n)){let a=(r==="text"||r==="summary")&&typeof o[r]=="string";o[r]=a&&typeof i=="string"?o[r]+i:i}}get content(){return Be(this.#s)}get reasoning(){return Be(this.#e)}get refusal(){return Be(this.#t)}get toolCalls(){return[...this.#n.values()].map(({id:t,type:n,name:s,input:o,others:r})=>{let i=Be(o);return n==="custom"?{id:t,type:n,custom:{name:s,input:i},...r}:{id:t,type:n,function:{name:s,arguments:i},...r}})}toMessage(){let{content:t,refusal:n,toolCalls:s}=this;if(t===""&&n===""&&s.length===0)return;let o=[...this.#i.values()];return{role:"assistant",content:t===""?null:t,...n!==""&&{refusal:n},...s.length>0&&{tool_calls:s},...o.length>0&&{reasoning_details:o}}}};function Be(e){return e.length>1&&e.splice(0,e.length,e.join("")),e[0]??""}function ve(e){let t=n=>{let s=e.get(n);return s===null||s===""?null:Number(s)};return{requestId:e.get("x-request-id"),provider:e.get("x-sluice-provider"),model:e.get("x-sluice-model"),attempts:t("x-sluice-attempts"),overheadMs:t("x-sluice-overhead-ms"),cost:t("x-sluice-cost-usd"),upstreamRequestId:e.get("x-sluice-upstream-request-id"),cache:e.get("x-sluice-cache"),ignored:yn(e.get("x-sluice-ignored")),converted:yn(e.get("x-sluice-converted"))}}function yn(e){return e===null?[]:e.split(", ").filter(t=>t!==""&&!/^and \d+ more$/.test(t))}function wt({ignored:e,converted:t}){let n=e.map(o=>({parameter:o,fate:"ignored"})),s=t.map(o=>{let r=o.indexOf(" "),i=o.indexOf("->");return r!==-1&&r<i?{parameter:o.slice(0,r),fate:"converted",change:o.slice(r+1)}:i===-1?{parameter:o,fate:"converted"}:{parameter:o.slice(0,i),fate:"renamed",to:o.slice(i+2)}});return[...n,...s]}function kn(e,t){if(t===null)return e;let n=new Map(wt(t).map(o=>[o.parameter,o]));return[...e.map(o=>{let r=n.get(o.parameter);return n.delete(o.parameter),o.fate==="as is"&&r!==void 0?{...r,rule:Po}:o}),...n.values()]}var Po="the vendor refused it as it was",wn=["ignored","converted","renamed","added","as is"];function xn(e){return e.toSorted((t,n)=>wn.indexOf(t.fate)-wn.indexOf(n.fate))}function Sn({targets:e},t){let n=e.findIndex(({provider:s,model:o})=>s===t?.provider&&o===t?.model);return Math.max(0,n)}function Cn({target:e,attempts:t,state:n,headers:s}){if(n==="preview")return"";if(s?.cache==="hit")return"answered by the response cache";if(e===null)return"";let o=`${e.provider} / ${e.model}`;return n==="failed"?t>1?`failed at ${o} after ${t} attempts`:`failed at ${o}`:t>1?`answered by ${o} after ${t} attempts`:`answered by ${o}`}var vn=400;function _n(e){return JSON.stringify(e,(t,n)=>typeof n=="string"&&n.length>vn?`${n.slice(0,vn/2)}\u2026 (${n.length} characters)`:n,2)??""}var An="/v1/chat/completions",Do=[60,200,500,1e3,2e3,4e3,8e3],qo=50;function vt(){let e=crypto.getRandomValues(new Uint8Array(12));return`req_${Array.from(e,t=>t.toString(16).padStart(2,"0")).join("")}`}var Fo=0,te=class{id=++Fo;state="waiting";error=null;headers=null;explanation=null;explanationError=null;record=null;isRestored=!1;toolAnswers=new Map;requestId=vt();startedAt=performance.now();firstTextAt=null;endedAt=null;version=0;#a=new Set;#s=new Set;#e=new AbortController;#t=!1;constructor(t){this.request=t,this.fold=new Ue((n,s)=>this.#c(n,s))}async start(){let{body:t,headers:n}=this.request;try{let s=await ie(An,{body:t,headers:{...n,"x-request-id":this.requestId},signal:this.#e.signal});this.#l(s.headers),await this.#n(s),this.#r("done")}catch(s){s.headers?.has("x-request-id")&&this.#l(s.headers),this.#e.signal.aborted||(this.error=s),this.#r(this.#e.signal.aborted?"stopped":"failed")}await this.#i()}async explain(){if(this.#t||this.isRestored)return;this.#t=!0;let{body:t,headers:n}=this.request;try{let s={...n,"x-sluice-explain":"true"};this.explanation=await O(An,{body:t,headers:s})}catch(s){this.explanationError=s}this.#o()}stop(){this.isOpen&&this.#e.abort()}get isOpen(){return this.state==="waiting"||this.state==="streaming"}toMessage(){return this.fold.toMessage()}async#n(t){let{fold:n}=this;if(!(t.headers.get("content-type")??"").startsWith("text/event-stream")){n.addCompletion(await t.json());return}let s=!1;if(await Zt(t,({data:o})=>{if(o==="[DONE]"){s=!0;return}let r=JSON.parse(o),i=Yt(r,{requestId:t.headers.get("x-request-id"),headers:t.headers});if(i!==void 0)throw i;n.addChunk(r)}),!s)throw new Error("The stream ended before the answer was complete")}async#i(){for(let t of Do){await new Promise(n=>setTimeout(n,t));try{this.record=await O(`/v1/requests/${this.requestId}`);break}catch(n){if(n.status!==404)break}}this.#o()}#c(t,n){this.firstTextAt===null&&(this.firstTextAt=performance.now(),this.state="streaming",this.#o());for(let s of this.#s)s(t,n)}#l(t){this.headers=ve(t),this.#o()}#r(t){this.endedAt=performance.now(),this.state=t,this.#o()}answerTool(t,n){this.toolAnswers.set(t,n),this.#o()}onChange(t){return this.#a.add(t),()=>this.#a.delete(t)}onText(t){return this.#s.add(t),()=>this.#s.delete(t)}#o(){this.version++;for(let t of this.#a)t()}get timing(){let{startedAt:t,firstTextAt:n,endedAt:s}=this,o=this.request.body.stream===!0,r=s===null?null:s-t,i=this.fold.usage?.completion_tokens,a=s===null||n===null?0:s-n,c=o&&i>0&&a>=qo?i/(a/1e3):null;return{first:o&&n!==null?n-t:null,total:r,speed:c}}get target(){let{headers:t,record:n}=this;return t?.provider?{provider:t.provider,model:t.model??""}:n?.provider?{provider:n.provider,model:n.upstream??""}:null}get attempts(){return this.headers?.attempts??this.record?.attempt_count??null}get cost(){let t=this.fold.usage?.cost??this.headers?.cost??this.record?.cost_usd??null;return typeof t=="number"?t:null}};var U=new Map([["images",{title:"Image",path:"/v1/images/generations",verb:"Create",fields:[{name:"prompt",kind:"long",isRequired:!0,placeholder:"What the image shows"},{name:"size",kind:"text",hint:"Such as 1024x1024"},{name:"quality",kind:"text",hint:"Such as low, medium or high"},{name:"n",kind:"integer",min:1,max:10}]}],["speech",{title:"Speech",path:"/v1/audio/speech",verb:"Speak",fields:[{name:"input",kind:"long",isRequired:!0,placeholder:"The text to speak"},{name:"voice",kind:"text",isRequired:!0},{name:"instructions",kind:"text"},{name:"speed",kind:"number",min:.25,max:4,step:.25},{name:"response_format",kind:"choice",options:["mp3","wav","opus","aac","flac"]}]}],["transcription",{title:"Transcription",path:"/v1/audio/transcriptions",verb:"Transcribe",takesFile:!0,fields:[{name:"language",kind:"text",hint:"Such as en"},{name:"prompt",kind:"text",hint:"Names and words that occur"},{name:"temperature",kind:"number",min:0,max:1,step:.1}]}],["rerank",{title:"Rerank",path:"/v1/rerank",verb:"Rank",fields:[{name:"query",kind:"long",isRequired:!0,placeholder:"What is looked for"},{name:"documents",kind:"lines",isRequired:!0,hint:"One document per line",placeholder:"The texts to rank"},{name:"top_n",kind:"integer",min:1}]}]]);function On(e){return e==="speech"?{voice:"alloy"}:{}}function We(e,{model:t,texts:n,file:s}){let{fields:o,takesFile:r}=U.get(e),i={model:t},a=new Map;t.trim()===""&&a.set("model","Choose a model"),r&&s===null&&a.set("file","Choose a file");for(let c of o){let{name:u,isRequired:d}=c,m=ye(c,n[u]??"");"error"in m?a.set(u,m.error):"value"in m?i[u]=m.value:d&&a.set(u,"Must not be empty")}return{body:i,errors:a}}function En(e,t){let n=new FormData;for(let[s,o]of Object.entries(e))n.append(s,String(o));return n.append("file",t),n}function Tn({results:e=[]},t){return e.map(({index:n,relevance_score:s})=>({index:n,score:s,text:t[n]??""}))}var Bo=[["/9j/","image/jpeg"],["UklGR","image/webp"],["R0lGOD","image/gif"]];function Rn({data:e=[]}){return e.map(({b64_json:t,url:n,revised_prompt:s})=>{if(typeof t!="string")return{url:String(n),isData:!1,prompt:s};let[,o]=Bo.find(([r])=>t.startsWith(r))??["","image/png"];return{url:`data:${o};base64,${t}`,isData:!0,prompt:s}})}var He=4,Uo=0;function oe(){return++Uo}function Mn(){return{columns:[{id:oe(),model:""}],kind:"chat",media:Object.fromEntries([...U.keys()].map(e=>[e,{model:"",texts:On(e),file:null,run:null}])),system:"",turns:[],draft:{text:"",images:[]},parameters:{},tools:"",stream:!0,streamUsage:!0,selected:null,panel:"chat"}}var K=Mn(),ue=new Set;function A(){return K}function In(e){return ue.add(e),()=>ue.delete(e)}function k(e){K={...K,...typeof e=="function"?e(K):e};for(let t of ue)t()}function J(e,t){k(({media:n})=>({media:{...n,[e]:{...n[e],...t}}}))}function Nn(){let{media:e}=K;for(let t of[...re(K),...Object.values(e).map(({run:n})=>n)])t?.stop();K=Mn();for(let t of ue)t()}function re({turns:e}){return e.flatMap(({runs:t})=>[...t.values()].flat())}function Ke(){let[,e]=g(K);return x(()=>{let t=()=>e(K);return ue.add(t),t(),()=>ue.delete(t)},[]),K}function Je(e){let[,t]=g(e.version);return x(()=>{let n=()=>t(e.version),s=e.onChange(n);return n(),s},[e]),e}function Ln(e){let t=()=>e.map(({version:s})=>s).join(),[,n]=g(t);x(()=>{let s=()=>n(t()),o=e.map(r=>r.onChange(s));return s(),()=>o.forEach(r=>r())},[e.map(({id:s})=>s).join()])}function Wo(e,t){return e.map(({user:n,runs:s})=>({user:n,steps:s.get(t)??[]}))}function Xe(e,t){let n=bt(A(),e),{members:s,headers:o,errors:r}=yt(n);if(r.size>0){let[[a,c]]=r;throw new RangeError(`${a}: ${c}`)}let i=hn(n.system,Wo(t,e.id));return{model:e.model,body:bn(e.model,i,s),headers:o}}function Ge(e){if(e.columns.some(({model:t})=>t.trim()===""))return"Choose a model";for(let t of e.columns){let{errors:n}=yt(bt(e,t));if(n.size>0)return`Correct '${[...n.keys()][0]}' in the parameters`}if(ke(e))return"An answer is being written"}function ke(e){return re(e).some(t=>t.isOpen)}function Ve(){let{draft:e,turns:t}=A();if(e.text===""&&e.images.length===0)return;let n={id:oe(),user:e,runs:new Map};k({draft:{text:"",images:[]},turns:[...t,n]}),Ye(n.id)}function Ye(e){let{columns:t,turns:n}=A(),s=n.findIndex(a=>a.id===e),o=n.slice(0,s),r={...n[s],runs:new Map},i=t.map(a=>new te(Xe(a,[...o,r])));t.forEach((a,c)=>r.runs.set(a.id,[i[c]])),k({turns:[...o,r],selected:i[0]});for(let a of i)qn(a)}function jn(e,t){Dn(e,t,n=>n)}function Pn(e,t){Dn(e,t,n=>n.slice(0,-1))}function Dn(e,t,n){let{columns:s,turns:o}=A(),r=s.find(({id:d})=>d===t),i=o.findIndex(({id:d})=>d===e),a=n(o[i].runs.get(t)??[]),c={...o[i],runs:new Map([[t,a]])},u=new te(Xe(r,[...o.slice(0,i),c]));Kn(e,t,[...a,u]),k({selected:u}),qn(u)}function qn(e){e.start().catch(n=>reportError(n));let t=e.onChange(()=>{e.isOpen||(t(),k({}))})}function kt(){let e=new te(St());e.state="preview",xt(e)}function xt(e){k({selected:e,panel:"receipt"})}function Fn(e){let{columns:t,turns:n}=A();if(t.length>=He)return;let[s]=t,o=new Set(t.map(({model:i})=>i)),r={id:oe(),model:e.find(({id:i})=>!o.has(i))?.id??s.model};k({columns:[...t,r],turns:n.map(i=>{let a=i.runs.get(s.id)??[];return{...i,runs:new Map(i.runs).set(r.id,a)}})})}function St(e){let{columns:t,draft:n,turns:s}=A(),o=t.find(({id:c})=>c===e)??t[0],r=n.text===""&&n.images.length===0,i=s.at(-1)?.runs.get(o.id)??[],a=i.at(-1);if(r&&a!==void 0&&!a.isRestored)return a.request;if(r&&a!==void 0){let c=new Map([[o.id,i.slice(0,-1)]]);return Xe(o,[...s.slice(0,-1),{...s.at(-1),runs:c}])}return Xe(o,[...s,{user:n,runs:new Map}])}function ze(){for(let e of re(A()))e.stop()}function Bn(e,t){Jn(e,n=>({...n,user:t}))}function Un(e){let{turns:t}=A();re({turns:t.filter(n=>n.id===e)}).forEach(n=>n.stop()),k({turns:t.filter(n=>n.id!==e)})}function Wn(e,t,n){n.stop();let{runs:s}=A().turns.find(({id:o})=>o===e);Kn(e,t,(s.get(t)??[]).filter(o=>o!==n))}function Hn(){ze(),k({turns:[],selected:null})}function Kn(e,t,n){Jn(e,s=>({...s,runs:new Map(s.runs).set(t,n)}))}function Jn(e,t){k(({turns:n})=>({turns:n.map(s=>s.id===e?t(s):s)}))}var Ct=["image/png","image/jpeg","image/webp","image/gif"],Xn=1e7,Gn=2e7;function Ho({name:e,type:t,size:n},s){if(!Ct.includes(t))return`'${e}' is ${t||"of an unknown type"}: use PNG, JPEG, WebP or GIF`;if(n>Xn)return`'${e}' is ${V(n)}: the limit of an image is ${V(Xn)}`;if(s+n>Gn)return`'${e}' is too much: the limit of a message's images is ${V(Gn)}`}var Vn=12,Ko=[["image/png",/^\x89PNG\r\n/],["image/jpeg",/^\xff\xd8\xff/],["image/gif",/^GIF8[79]a/],["image/webp",/^RIFF[^]{4}WEBP/]];function Jo(e){let t=String.fromCharCode(...e.subarray(0,Vn));return Ko.find(([,n])=>n.test(t))?.[0]}async function Yn(e,t){let n=t.reduce((r,{size:i})=>r+i,0),s=[],o=[];for(let r of e){let i=Ho(r,n);if(i!==void 0){o.push(i);continue}n+=r.size;try{let a=new Uint8Array(await r.slice(0,Vn).arrayBuffer()),c=Jo(a);if(c===void 0){o.push(`'${r.name}' is not an image: its content is none of PNG, JPEG, WebP and GIF`),n-=r.size;continue}let u=r.type===c?r:new Blob([r],{type:c});s.push({name:r.name||"image",size:r.size,url:await Xo(u)})}catch{o.push(`'${r.name}' cannot be read`)}}return{images:s,faults:o}}function Xo(e){let{promise:t,resolve:n,reject:s}=Promise.withResolvers(),o=new FileReader;return o.onload=()=>n(o.result),o.onerror=()=>s(o.error),o.readAsDataURL(e),t}function Qe({message:e,onChange:t,label:n,placeholder:s,inputRef:o,children:r}){let i=_(null),a=_(e);a.current=e;let[c,u]=g([]),[d,m]=g(!1);x(()=>u($=>$.length===0?$:[]),[e.images.length,e.text===""]);let f=async $=>{let v=await Yn($,a.current.images);if(v.images.length>0){let{text:b,images:w}=a.current;t({text:b,images:[...w,...v.images]})}setTimeout(()=>u(v.faults))},p=$=>{let v=[...$.clipboardData?.files??[]];v.length!==0&&($.preventDefault(),f(v))};return l`
    <div
      class=${`editor ${d?"over":""}`}
      onDrop=${$=>{m(!1);let v=[...$.dataTransfer?.files??[]];v.length!==0&&($.preventDefault(),f(v))}}
      onDragOver=${$=>{[...$.dataTransfer?.types??[]].includes("Files")&&($.preventDefault(),m(!0))}}
      onDragLeave=${()=>m(!1)}
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
        onPaste=${p}
      ></textarea>
      ${c.length>0&&l`
        <div class="fault" role="alert">${c.map($=>l`<p key=${$}>${$}</p>`)}</div>
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
        <${T}
          icon="image"
          label="Add images (or paste, or drop them here)"
          onClick=${()=>i.current.click()}
        />
        ${r}
      </div>
      ${d&&l`<div class="drop-note"><${I} name="image" />Drop images here</div>`}
    </div>
  `}function _t({images:e,onRemove:t}){return e.length===0?null:l`
    <ul class="thumbnails" aria-label="Images">
      ${e.map((n,s)=>l`
          <li key=${s}>
          ${n.url.startsWith("data:image/")?l`<img src=${n.url} alt=${n.name} title=${`${n.name}, ${V(n.size)}`} />`:l`<span class="mono small wrap-anywhere">${n.url}</span>`}
            ${t&&l`
              <${T}
                icon="close"
                class="small"
                label=${`Remove ${n.name}`}
                onClick=${()=>t(n)}
              />
            `}
          </li>
        `)}
    </ul>
  `}function zn({state:e}){let t=_(null),[n,s]=g(""),{columns:o,draft:r}=e,i=ke(e),a=Ge(e),c=r.text===""&&r.images.length===0,u=f=>{s("");try{f()}catch(p){s(p.message)}},d=()=>{if(a!==void 0)return i||s(a);u(Ve),t.current?.focus()},m=_(null);return m.current=f=>{f.key==="Escape"&&document.querySelector("dialog[open]")===null&&ze(),!(f.key!=="Enter"||!(f.ctrlKey||f.metaKey))&&(f.defaultPrevented||(f.preventDefault(),f.shiftKey?u(kt):d()))},x(()=>{let f=p=>m.current(p);return addEventListener("keydown",f),()=>removeEventListener("keydown",f)},[]),l`
    <div class="composer">
      <${Qe}
        message=${r}
        onChange=${f=>k({draft:f})}
        label="Message"
        placeholder=${o.length===1?"Message":`Message to all ${o.length} models`}
        inputRef=${t}
      >
        <${Go} state=${e} />
        <span class="grow"></span>
        <button type="button" class="quiet" title="Show what would be sent, without sending it (Ctrl Shift Enter)"
          onClick=${()=>u(kt)}>Preview</button>
        ${i?l`<button type="button" class="danger" onClick=${ze}>
              <${I} name="stop" />Stop
            </button>`:l`
            <button type="button" class="primary" title="Ctrl Enter" disabled=${c}
              onClick=${d}>
                          <${I} name="send" />Send
                        </button>
          `}
      <//>
      ${n!==""&&l`
        <div class="error-box row spread" role="alert">
          ${n}
          <${T} icon="close" class="small" label="Close" onClick=${()=>s("")} />
        </div>
      `}
    </div>
  `}function Go({state:{parameters:e,tools:t}}){let n=se(t).value?.length??0,s=e.response_format??"",o=(a,c)=>{k({panel:"settings",...a}),requestAnimationFrame(()=>document.querySelector(c)?.focus())},r=()=>o(t===""?{tools:ce}:{},"#tools"),i=()=>{let a=ee.get("json_schema"),c=we(s)==="json_schema";o(c?{}:{parameters:{...e,response_format:a}},"[aria-label='response_format as JSON']")};return l`
    <button type="button" class="quiet" onClick=${r}>Tools${n>0?` ${n}`:""}</button>
    <button type="button" class="quiet phone-hidden" onClick=${i}>JSON schema</button>
  `}var Vo=[{title:"Ask a question",about:"A first answer, streamed",text:"What does a model gateway do? Answer in two sentences."},{title:"Call a tool",about:"The model asks for a function; you answer in its place",text:"What is the weather in Reykjavik? Use get_weather.",tools:ce},{title:"Fill a JSON schema",about:"An answer that fits response_format",text:"Describe Lisbon.",parameters:{response_format:ee.get("json_schema")}},{title:"See what is ignored",about:"Parameters that a vendor does not support stay visible in the receipt",text:"Say hello.",parameters:{temperature:"0.7",seed:"42",logit_bias:'{ "50256": -100 }'}},{title:"Strict mode",about:"Nothing is dropped: the request is refused with its reason",text:"Say hello.",parameters:{seed:"42","x-sluice-strict":"true"}}];function Qn(){return l`
    <div class="start">
      <h2>Try a model</h2>
      <p class="soft">
        Write a message below, or start with one of these. The receipt shows how the gateway handled each
        request.
      </p>
      <ul class="example-list">
        ${Vo.map(e=>l`
            <li key=${e.title}>
              <button type="button" onClick=${()=>Yo(e)}>
                <strong>${e.title}</strong>
                <span class="soft small">${e.about}</span>
              </button>
            </li>
          `)}
      </ul>
    </div>
  `}function Yo({text:e,tools:t="",parameters:n={}}){k({parameters:n,tools:t,draft:{text:e,images:[]}}),Ge(A())===void 0&&Ve()}var Ze=class{#a;#s;#e=[];#t=0;#n=0;constructor(t,n=()=>{}){this.#a=t,this.#s=n}get isIdle(){return this.#n===0}add(t){for(let n=0;n<t.length;n+=4e3)this.#e.push(t.slice(n,n+4e3));this.#n===0&&(this.#n=requestAnimationFrame(()=>this.#i()))}stop(){cancelAnimationFrame(this.#n),this.#n=0,this.#e=[],this.#t=0}#i(){let t="";for(;this.#t<this.#e.length&&t.length<4e3;)t+=this.#e[this.#t++];if(t!==""&&this.#a(t),this.#t<this.#e.length){this.#n=requestAnimationFrame(()=>this.#i());return}this.#e=[],this.#t=0,this.#n=0,this.#s()}};var zo=/^(?:https?:\/\/|mailto:)[^\s<>"]+$/i,At=/[`*_[\\$]|~~|https?:\/\//g,Zn=/[\p{L}\p{N}]/u;function ne(e,t){let n=new Set,s=(i,a)=>{if(n.has(i))return-1;let c=t.indexOf(i,a);return c===-1&&n.add(i),c},o=0,r=i=>{i>o&&e.append(t.slice(o,i))};for(At.lastIndex=0;;){let i=At.exec(t);if(i===null)break;let a=i.index,c=Qo(t,a,i[0],s);c!==void 0&&(r(a),e.append(c.node),o=c.end,At.lastIndex=c.end)}r(t.length)}function Qo(e,t,n,s){switch(n){case"\\":return e[t+1]==="("||e[t+1]==="["?es(e,t,s):/[\\`*_[\]#$~]/.test(e[t+1]??"")?{node:document.createTextNode(e[t+1]),end:t+2}:void 0;case"`":return Zo(e,t,s);case"*":case"_":return er(e,t,n,s);case"~~":return tr(e,t,s);case"$":return es(e,t,s);case"[":return sr(e,t,s);default:return or(e,t)}}function Zo(e,t,n){let s=e[t+1]==="`"?"``":"`",o=n(s,t+s.length);if(!(o<=t+s.length))return{node:xe("code",e.slice(t+s.length,o).trim()),end:o+s.length}}function er(e,t,n,s){let o=e[t+1]===n,r=o?n+n:n,i=t+r.length;if(/\s/.test(e[i]??" ")||n==="_"&&Zn.test(e[t-1]??""))return;let a=s(r,i+1);if(a===-1||/\s/.test(e[a-1])||n==="_"&&Zn.test(e[a+r.length]??""))return;let c=e.slice(i,a);if(!c.includes(`

`))return{node:xe(o?"strong":"em",c),end:a+r.length}}function tr(e,t,n){if(/\s/.test(e[t+2]??" "))return;let s=n("~~",t+3);if(!(s===-1||/\s/.test(e[s-1])))return{node:xe("s",e.slice(t+2,s)),end:s+2}}var nr=[["$$","$$"],["$","$"],["\\(","\\)"],["\\[","\\]"]];function es(e,t,n){let[s,o]=nr.find(([c])=>e.startsWith(c,t)),r=t+s.length;if(s==="$"&&/[\s\d]/.test(e[r]??" "))return;let i=n(o,r+1);if(i===-1||s==="$"&&/\s/.test(e[i-1]))return;let a=xe("code",e.slice(r,i).trim());return a.className="formula",{node:a,end:i+o.length}}function sr(e,t,n){let s=n("](",t+1);if(s===-1)return;let o=n(")",s+2);if(o===-1)return;let r=e.slice(t+1,s),i=e.slice(s+2,o);if(!(r===""||r.includes("[")||!zo.test(i)))return{node:ns(r,i),end:o+1}}var ts=/https?:\/\/[^\s<>"'`)\]]+/y;function or(e,t){ts.lastIndex=t;let n=ts.exec(e)?.[0].replace(/[.,;:!?*_]{1,9}$/,"");if(!(n===void 0||!URL.canParse(n)))return{node:ns(n,n),end:t+n.length}}function ns(e,t){let n=xe("a",e);return n.href=t,n.target="_blank",n.rel="noopener noreferrer",n}function xe(e,t){let n=document.createElement(e);return n.textContent=t,n}var rr=/^[\s|:-]+$/;function os(e){let[t,n,...s]=e;if(n===void 0||!rr.test(n)){let c=document.createElement("p");return e.forEach((u,d)=>{d>0&&c.append(`
`),ne(c,u)}),c}let o=document.createElement("table"),r=rs(n).map(ir);o.createTHead().append(ss(t,"th",r));let i=o.createTBody();for(let c of s)i.append(ss(c,"td",r));let a=document.createElement("div");return a.className="table-scroll",a.append(o),a}function rs(e){return e.trim().slice(1,-1).split("|").map(t=>t.trim())}function ir(e){let t=e.endsWith(":");return e.startsWith(":")?t?"center":"left":t?"right":""}function ss(e,t,n){let s=document.createElement("tr");return rs(e).forEach((o,r)=>{let i=document.createElement(t);i.dir="auto",i.style.textAlign=n[r]??"",ne(i,o),s.append(i)}),s}function is(e){let t=document.createElement("input");return t.type="checkbox",t.disabled=!0,t.checked=e,t.setAttribute("aria-label",e?"Done":"To do"),t}function as(e){let t=document.createElement("button");return t.type="button",t.className="quiet small copy-code",t.textContent="Copy",t.addEventListener("click",async()=>{let n=[...e.querySelectorAll("pre")].map(s=>s.textContent).join("");t.textContent=await zt(n)?"Copied":"Cannot copy"}),t}var et=2e3,ar=16,lr=/^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/,cr=/^(#{1,6})\s+(.*?)\s*#*$/,ur=/^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/,dr=/^ {0,3}(?:-[ -]*-[ -]*-|\*[ *]*\*[ *]*\*|_[ _]*_[ _]*_)\s*$/,fr=/^ {0,3}> ?(.*)$/,pr=/^\s*\|.*\|\s*$/,mr=/^\[([ xX])\]\s+/,tt=class{#a;#s=null;#e="";#t=null;#n=[];#i=0;#c="";#l="";#r=null;#o=null;constructor(t){this.#a=t}write(t){let n=0;for(let s=t.indexOf(`
`);s!==-1;s=t.indexOf(`
`,n)){let o=this.#e+t.slice(n,s);this.#e="",this.#f(),this.#p(o.endsWith("\r")?o.slice(0,-1):o),n=s+1}n<t.length&&this.#m(t.slice(n))}end(){let t=this.#e;this.#e="",this.#f(),t!==""&&this.#p(t),this.#u()}#d(t){t.localName!=="figure"&&(t.dir="auto"),(this.#s===null||this.#s.childElementCount>=ar)&&(this.#s?.classList.add("complete"),this.#s=document.createElement("div"),this.#s.className="part",this.#a.append(this.#s)),this.#s.append(t)}#m(t){if(this.#e+=t,this.#e.length>et){this.#b();return}this.#t===null&&(this.#t=document.createElement(this.#r===null?"p":"span"),this.#t.append(""),this.#r===null?this.#d(this.#t):this.#r.append(this.#t)),this.#t.firstChild.appendData(this.#e.slice(this.#t.firstChild.length))}#b(){let t=this.#e;this.#e="",this.#f();for(let n=0;n<t.length;){let s=n+et;if(s>=t.length){this.#m(t.slice(n));return}let o=t.lastIndexOf(" ",s),r=o>n?o+1:s,i=t.slice(n,r);n=r,this.#r!==null?this.#r.append(i):(this.#p(i),this.#u())}}#f(){this.#t?.remove(),this.#t=null}#p(t){if(this.#r!==null){let i=this.#l;t.trimStart().startsWith(i)&&/^\s*[`~]+\s*$/.test(t)?this.#u():this.#v(`${t}
`);return}let n=lr.exec(t);if(n!==null)return this.#w(n[1],n[2]);if(t.trim()==="")return this.#u();let s=cr.exec(t);if(s!==null)return this.#$(`h${s[1].length}`,s[2]);if(dr.test(t))return this.#$("hr","");let o=ur.exec(t);if(o!==null)return this.#y(o);let r=fr.exec(t);if(r!==null)return this.#h("quote",r[1]);this.#h(pr.test(t)?"table":"text",t)}#h(t,n){if(this.#o!==null&&t==="text"&&/^\s{2}/.test(n)){let o=this.#o.lastElementChild;return o.append(" "),ne(o,n.trim())}if((this.#c!==t||this.#i>et)&&this.#u(),this.#c=t,this.#n.push(n),this.#i+=n.length,t==="table")return;this.#n.length===1&&this.#d(document.createElement(t==="quote"?"blockquote":"p"));let s=this.#s.lastElementChild;this.#n.length>1&&s.append(`
`),ne(s,n)}#$(t,n){this.#u();let s=/^h\d$/.test(t),o=document.createElement(s?"p":t);s&&(o.className=`heading heading-${t.slice(1)}`,o.setAttribute("role","heading"),o.setAttribute("aria-level",String(Math.min(6,Number(t.slice(1))+3))),ne(o,n)),this.#d(o)}#y([,t,n,s,o]){let r=n===void 0?"ol":"ul";(this.#o?.localName!==r||this.#o.childElementCount>=hr)&&(this.#u(),this.#o=document.createElement(r),s!==void 0&&(this.#o.start=Number(s)),this.#d(this.#o));let i=document.createElement("li");i.dir="auto";let a=Math.min(4,Math.floor(t.length/2));a>0&&(i.className=`depth-${a}`);let c=n===void 0?null:mr.exec(o);c!==null&&i.append(is(c[1]!==" ")),ne(i,c===null?o:o.slice(c[0].length)),c!==null&&i.classList.add("task"),this.#o.append(i)}#w(t,n){this.#u();let s=document.createElement("figure"),o=document.createElement("figcaption");o.append(n||"text",as(s)),s.append(o),this.#d(s),this.#l=t,this.#g(s)}#g(t){this.#r=document.createElement("pre"),this.#r.tabIndex=0,this.#i=0,t.append(this.#r)}#v(t){this.#i>et&&this.#g(this.#r.parentElement),this.#r.append(t),this.#i+=t.length}#u(){this.#c==="table"&&this.#d(os(this.#n)),this.#c="",this.#n=[],this.#i=0,this.#r=null,this.#o=null}},hr=100;function Ot({run:e,part:t,class:n=""}){let s=_(null);return x(()=>{let o=s.current;o.replaceChildren();let r=new tt(o),i=!1,a=()=>{i||e.isOpen||(i=!0,r.end())},c=new Ze(f=>r.write(f),a),u=e.fold[t];u!==""&&c.add(u);let d=e.onText((f,p)=>f===t&&c.add(p)),m=e.onChange(()=>c.isIdle&&a());return c.isIdle&&a(),()=>{d(),m(),c.stop()}},[e,t]),l`<div ref=${s} class=${`text ${n}`}></div>`}function cs({run:e,turnId:t,columnId:n,isLast:s}){let[o,r]=g("");if(e.isOpen)return null;let i=e.fold.toolCalls;if(i.length===0)return null;let a=e.state==="done"&&s,c=i.every(({id:d})=>(e.toolAnswers.get(d)??"")!=="");return l`
    <form class="tool-calls" onSubmit=${d=>{d.preventDefault(),r("");try{jn(t,n)}catch(m){r(m.message)}}}>
      ${i.map((d,m)=>l`
          <${$r} key=${m} call=${d} run=${e} canAnswer=${a} />
        `)}
      ${a&&l`
        <div class="row">
          <button type="submit" class="primary small" disabled=${!c}>
            <${I} name="send" />Send ${i.length===1?"the result":"the results"}
          </button>
          <span class="hint">The model continues with your answer as the result of the tool.</span>
        </div>
      `}
      ${o!==""&&l`<p class="fault" role="alert">${o}</p>`}
    </form>
  `}function $r({call:e,run:t,canAnswer:n}){let{name:s,arguments:o,input:r}=e.function??e.custom,i=t.toolAnswers.get(e.id)??"",a=o!==void 0&&!gr(o);return l`
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
      <pre class="code-box" tabindex="0" aria-label=${`Arguments of ${s}`}>${br(o??r)}</pre>
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
  `}function gr(e){return e.trim()===""||pe(me(e).value)}var ls=5e4;function br(e){if(e.length>ls)return`${e.slice(0,ls)}\u2026`;try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}}function us({run:e,turnId:t,columnId:n,...s}){let{isLast:o,isFastest:r,isCheapest:i,isSelected:a,isBusy:c}=s;Je(e);let[u,d]=g(""),{fold:m,state:f}=e,p=()=>{try{Pn(t,n)}catch(h){d(h.message)}};return l`
    <article class=${`answer ${a?"selected":""}`} aria-label=${`Answer of ${e.request.model}`}>
      <div class="message-head">
        <h3 class="wrap-anywhere">${e.request.model}</h3>
        <${kr} run=${e} />
        ${r&&l`<span class="badge good">fastest</span>`}
        ${i&&l`<span class="badge good">cheapest</span>`}
        <span class="actions">
        ${e.isOpen?l`
            <${T}
              icon="stop"
              class="small danger"
              label="Stop this answer"
              onClick=${()=>e.stop()}
            />
          `:l`
            <${j} text=${()=>m.content} label="Copy the answer" isIcon />
            ${o&&l`
              <${T} icon="retry" class="small" label="Ask again" disabled=${c}
                onClick=${p} />
            `}
            <${T}
              icon="clear"
              class="small"
              label="Remove this answer"
              onClick=${()=>Wn(t,n,e)}
            />
          `}
        </span>
      </div>
      <${xr} run=${e} />
      <div class="answer-body">
        ${m.hasReasoning&&l`<${Cr} run=${e} />`}
        ${f==="waiting"&&l`<${Sr} run=${e} />`}
        <${Ot} run=${e} part="content" class="content" />
        <${_r} run=${e} />
        <${cs} run=${e} turnId=${t} columnId=${n} isLast=${o} />
      </div>
      ${e.error!==null&&l`<${C} error=${e.error} title=${yr(e)} />`}
      ${u!==""&&l`<p class="fault" role="alert">${u}</p>`}
      <div class="answer-foot">
        <${Ar} run=${e} />
        <button
          type="button"
          class="quiet small"
          aria-pressed=${String(a)}
          onClick=${()=>xt(e)}
        ><${I} name="receipt" />Receipt</button>
      </div>
      <p class="only-read" role="status">${Or(e)}</p>
    </article>
  `}function yr({fold:e}){return e.content===""?"The request failed":"The answer broke off"}var wr={streaming:["accent","writing"],stopped:["warn","stopped"],failed:["bad","failed"]},vr=new Map([["length","warn"],["content_filter","bad"],["tool_calls","accent"]]);function kr({run:{state:e,fold:t}}){let[n,s]=wr[e]??[vr.get(t.finishReason)??"",t.finishReason];return s?l`<span class=${`badge ${n}`} title="How the answer ended">${s}</span>`:null}function xr({run:e}){let t=Cn(e);return t===""?null:l`<p class="answered soft small wrap-anywhere">${t}</p>`}function Sr({run:e}){let[t,n]=g(performance.now());x(()=>{let o=setInterval(()=>n(performance.now()),100);return()=>clearInterval(o)},[]);let s=Math.max(0,(t-e.startedAt)/1e3).toFixed(1);return l`
    <p class="waiting soft"><span class="loading" aria-hidden="true"></span>Waiting ${s} s</p>
  `}function Cr({run:e}){let[t,n]=g(!1),s=e.fold.usage?.completion_tokens_details?.reasoning_tokens;return l`
    <details class="reasoning" onToggle=${o=>n(o.currentTarget.open)}>
      <summary>
        Reasoning${s>0&&l`<span class="faint"> ${E(s)} tokens</span>`}
      </summary>
      ${t&&l`<${Ot} run=${e} part="reasoning" />`}
    </details>
  `}function _r({run:e}){let{refusal:t}=e.fold;return t===""||e.isOpen?null:l`
    <div class="refusal"><strong>Refused:</strong> <span class="plain-text">${t}</span></div>
  `}function Ar({run:e}){let{first:t,total:n,speed:s}=e.timing,{usage:o}=e.fold,r=o?.prompt_tokens_details?.cached_tokens,i=[t!==null&&["First token",L(t)],n!==null&&["Total",L(n)],s!==null&&["Tokens/s",s>=100?E(s):s.toFixed(1)],o&&["Tokens",`${E(o.prompt_tokens)} in, ${E(o.completion_tokens)} out`+(r>0?`, ${E(r)} cached`:"")],e.cost!==null&&["Cost",H(e.cost)]].filter(Boolean);return l`
    <${q} class="figures" facts=${i} />
  `}function Or({state:e,fold:t,request:{model:n}}){switch(e){case"done":return`${n} has answered${t.toolCalls.length>0?" with tool calls":""}`;case"stopped":return`The answer of ${n} was stopped`;default:return""}}function fs(e){let t={fastest:-1,cheapest:-1};if(e.some(o=>o.some(({isOpen:r})=>r)))return t;let n=e.map(o=>o.at(-1)?.state==="done");if(n.filter(Boolean).length<2)return t;let s=o=>e.map((r,i)=>n[i]?Er(r.map(o)):1/0);return{fastest:ds(s(({timing:o})=>o.total)),cheapest:ds(s(({cost:o})=>o))}}function Er(e){return e.includes(null)?null:e.reduce((t,n)=>t+n,0)}function ds(e){if(e.includes(null))return-1;let t=Math.min(...e),n=e.indexOf(t);return n===e.lastIndexOf(t)?n:-1}function hs({turn:e,index:t,columns:n,selected:s,isBusy:o}){let r=n.map(({id:i})=>e.runs.get(i)??[]);return Ln(r.flat()),l`
    <section class="turn" aria-label=${`Turn ${t+1}`}>
      <${Rr} turn=${e} isBusy=${o} />
      ${r.flat().length>0&&l`
        <${Tr} ...${{turn:e,columns:n,answers:r,selected:s,isBusy:o}} />
      `}
    </section>
  `}function Tr({turn:e,columns:t,answers:n,selected:s,isBusy:o}){let{fastest:r,cheapest:i}=fs(n),a=Math.max(...n.map(({length:c})=>c));return l`
    <div class="columns answers" style=${{"--columns":t.length,"--rows":a}}>
      ${t.map(({id:c},u)=>l`
          <div class="answer-column" key=${c}>
            ${n[u].map((d,m,f)=>{let p=m===f.length-1;return l`
                <${us}
                  key=${d.id}
                  run=${d}
                  turnId=${e.id}
                  columnId=${c}
                  isLast=${p}
                  isFastest=${u===r&&p}
                  isCheapest=${u===i&&p}
                  isSelected=${d===s}
                  isBusy=${o}
                />
              `})}
          </div>
        `)}
    </div>
  `}function Rr({turn:e,isBusy:t}){let[n,s]=g(null),[o,r]=g(""),{user:i}=e;if(n!==null){let a=()=>{Bn(e.id,n),s(null)},c=()=>{a(),ms(()=>Ye(e.id),r)};return l`
      <div class="user-message editing" onKeyDown=${u=>{u.key==="Escape"&&(u.stopPropagation(),s(null)),!(u.key!=="Enter"||!(u.ctrlKey||u.metaKey))&&(u.preventDefault(),t||c())}}>
        <${Qe} message=${n} onChange=${s} label="Edit the message">
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
        <${T}
          icon="retry"
          class="small"
          label="Run from here"
          disabled=${t}
          onClick=${()=>ms(()=>Ye(e.id),r)}
        />
        <${T}
          icon="edit"
          class="small"
          label="Edit this message"
          onClick=${()=>s(i)}
        />
        <${T}
          icon="clear"
          class="small"
          label="Remove this message and its answers"
          onClick=${()=>Un(e.id)}
        />
      </div>
      <${_t} images=${i.images} />
      ${i.text!==""&&l`<${Mr} text=${i.text} />`}
      ${o!==""&&l`<p class="fault" role="alert">${o}</p>`}
    </div>
  `}var ps=4e3;function Mr({text:e}){let[t,n]=g(!1),s=e.length>ps&&!t;return l`
    <p class="plain-text">${s?`${e.slice(0,ps)}\u2026`:e}</p>
    ${s&&l`
      <button type="button" class="quiet small" onClick=${()=>n(!0)}>
        Show all ${e.length} characters
      </button>
    `}
  `}function ms(e,t){t("");try{e()}catch(n){t(n.message)}}function $s({state:e,isLoading:t}){return e.turns.length===0?l`<div class="conversation">${!t&&l`<${Qn} />`}</div>`:l`<${Ir} state=${e} />`}function Ir({state:e}){let{columns:t,selected:n,turns:s}=e,o=ke(e),r=P(()=>s.map((u,d)=>l`
          <${hs}
            key=${u.id}
            turn=${u}
            index=${d}
            columns=${t}
            selected=${n}
            isBusy=${o}
          />
        `),[s,t,n,o]),{area:i,content:a,onScroll:c}=Lr(s.length);return l`
    <div class="conversation" ref=${i} onScroll=${c}>
      <div ref=${a}>
        <h2 class="only-read">Messages</h2>
        ${r}
        <div class="row conversation-end">
          <button type="button" class="quiet small" aria-keyshortcuts="Alt+Shift+X"
            onClick=${Hn}>
            <${I} name="clear" />Clear the conversation
          </button>
        </div>
      </div>
    </div>
  `}var Nr=48;function Lr(e){let t=_(null),n=_(null),s=_(!0),o=_(0),r=()=>{s.current&&t.current!==null&&(t.current.scrollTop=t.current.scrollHeight)},i=()=>{if(t.current===null)return;let{clientHeight:a,scrollHeight:c,scrollTop:u}=t.current;c-u-a<Nr?s.current=!0:u<o.current&&(s.current=!1),o.current=u};return x(()=>{let a=new ResizeObserver(r);return a.observe(n.current),()=>a.disconnect()},[]),x(()=>{s.current=!0,r()},[e]),{area:t,content:n,onScroll:i}}var jr=["model","messages","stream","stream_options","temperature","top_p","n","max_tokens","max_completion_tokens","stop","seed","frequency_penalty","presence_penalty","logit_bias","logprobs","top_logprobs","reasoning_effort","verbosity","response_format","tools","tool_choice","parallel_tool_calls","service_tier","store","user","metadata","modalities","audio","prediction"],Pr=["model","prompt","size","quality","n"],Dr=["model","input","voice","instructions","speed","response_format"],qr=["model","language","prompt","temperature"],nt=new Map([["chat",{path:"/chat/completions",call:"chat.completions.create",known:new Set(jr),python:{whole:["print(answer.choices[0].message.content)"],stream:["for chunk in answer:","    if chunk.choices and chunk.choices[0].delta.content:",'        print(chunk.choices[0].delta.content, end="", flush=True)']},script:{whole:["console.log(answer.choices[0]?.message.content);"],stream:["for await (const chunk of answer) {",'  process.stdout.write(chunk.choices[0]?.delta.content ?? "");',"}"]}}],["images",{path:"/images/generations",call:"images.generate",known:new Set(Pr),python:{imports:["import base64"],whole:["for index, image in enumerate(answer.data):",'    with open(f"image-{index + 1}.png", "wb") as file:',"        file.write(base64.b64decode(image.b64_json))"]},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:["for (const [index, image] of (answer.data ?? []).entries()) {",'  const bytes = Buffer.from(image.b64_json ?? "", "base64");',"  await writeFile(`image-${index + 1}.png`, bytes);","}"]}}],["speech",{path:"/audio/speech",call:"audio.speech.create",known:new Set(Dr),python:{whole:['answer.write_to_file("speech.audio")']},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:['await writeFile("speech.audio", Buffer.from(await answer.arrayBuffer()));']}}],["transcription",{path:"/audio/transcriptions",call:"audio.transcriptions.create",known:new Set(qr),takesFile:!0,python:{whole:["print(answer.text)"]},script:{imports:['import { createReadStream } from "node:fs";'],whole:["console.log(answer.text);"]}}],["rerank",{path:"/rerank",known:new Set,python:{imports:["import httpx"],whole:["print(answer.json())"]},script:{whole:["console.log(answer);"]}}]]);var rt=[{id:"curl",title:"curl",write:Fr},{id:"python",title:"Python",write:Br},{id:"typescript",title:"TypeScript",write:Ur}],gs="SLUICE_BODY";function Fr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{path:r,takesFile:i}=nt.get(e),a=[`curl ${st(t+r)}`,...n.stream===!0?["--no-buffer"]:[],'-H "Authorization: Bearer $SLUICE_API_KEY"',...i?[]:["-H 'Content-Type: application/json'"],...Object.entries(s).map(([c,u])=>`-H ${st(`${c}: ${u}`)}`),...e==="speech"?["--output speech.audio"]:[]];if(i){let c=Object.entries(n).map(([d,m])=>`--form-string ${st(`${d}=${m}`)}`),u=`"${o.replaceAll(/["\\]/g,"\\$&")}"`;return`${[...a,...c,`-F ${st(`file=@${u}`)}`].join(` \\
  `)}
`}return a.push(`--data-binary @- <<'${gs}'`),`${a.join(` \\
  `)}
${JSON.stringify(n,null,2)}
${gs}
`}function st(e){return`'${e.replaceAll("'","'\\''")}'`}function bs(e,t){let n=Object.entries(e);return{known:n.filter(([s])=>t.has(s)),others:n.filter(([s])=>!t.has(s))}}function Br({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,python:c,takesFile:u}=nt.get(e),{known:d,others:m}=bs(n,i),f=r===void 0?[`    ${Y(a)},`,"    cast_to=httpx.Response,",`    body=${Y(n,1)},`]:d.map(([p,h])=>`    ${p}=${Y(h,1)},`);return u&&f.unshift(`    file=open(${Y(o)}, "rb"),`),r!==void 0&&m.length>0&&f.push(`    extra_body=${Y(Object.fromEntries(m),1)},`),Object.keys(s).length>0&&f.push(`    extra_headers=${Y(s,1)},`),[...["import os",...c.imports??[]].sort(),"","from openai import OpenAI","",`client = OpenAI(base_url=${Y(t)}, api_key=os.environ["SLUICE_API_KEY"])`,`answer = client.${r??"post"}(`,...f,")",...n.stream===!0?c.stream:c.whole,""].join(`
`)}function Y(e,t=0){if(e===null)return"None";if(e===!0)return"True";if(e===!1)return"False";if(Array.isArray(e))return ot("[","]",e.map(n=>Y(n,t+1)),t,4);if(typeof e=="object"){let n=Object.entries(e).map(([s,o])=>`${JSON.stringify(s)}: ${Y(o,t+1)}`);return ot("{","}",n,t,4)}return JSON.stringify(e)}function Ur({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,script:c,takesFile:u}=nt.get(e),{known:d,others:m}=bs(n,i),f=d.map(([y,$])=>`  ${y}: ${z($,1)},`);u&&f.unshift(`  file: createReadStream(${z(o)}),`),r===void 0?f.push(`  body: ${z(n,1)},`):m.length>0&&f.push(`  ...(${z(Object.fromEntries(m),1)} as object),`);let p=Object.keys(s).length===0?"":`, { headers: ${z(s)} }`,h=r===void 0?`post(${z(a)}, {`:`${r}({`;return[...c.imports??[],'import OpenAI from "openai";',"","const client = new OpenAI({",`  baseURL: ${z(t)},`,"  apiKey: process.env.SLUICE_API_KEY,","});",`const answer = await client.${h}`,...f,`}${p});`,...n.stream===!0?c.stream:c.whole,""].join(`
`)}var Wr=/^[A-Za-z_$][\w$]*$/;function z(e,t=0){if(Array.isArray(e))return ot("[","]",e.map(n=>z(n,t+1)),t,2);if(typeof e=="object"&&e!==null){let n=Object.entries(e).map(([s,o])=>`${Hr(s)}: ${z(o,t+1)}`);return ot("{","}",n,t,2)}return JSON.stringify(e)}function Hr(e){return e==="__proto__"?'["__proto__"]':Wr.test(e)?e:JSON.stringify(e)}var Kr=60;function ot(e,t,n,s,o){if(n.length===0)return e+t;let r=n.join(", ");if(r.length<=Kr&&!r.includes(`
`))return e==="{"&&o===2?`{ ${r} }`:e+r+t;let i=" ".repeat(o*(s+1)),a=n.map(c=>`${i}${c},
`);return`${e}
${a.join("")}${" ".repeat(o*s)}${t}`}function Et(e){let t=A().media[e],{body:n,errors:s}=We(e,t);if(s.size>0){let[[o,r]]=s;throw new RangeError(`${o}: ${r}`)}return{api:e,body:n,headers:{},file:t.file?.name}}async function ys(e){Tt(e);let{body:t}=Et(e),{file:n}=A().media[e],{path:s,takesFile:o}=U.get(e),r=new AbortController,i=performance.now(),a=vt(),c={state:"waiting",body:t,requestId:a,answer:null,error:null,headers:null,ms:null,stop:()=>r.abort()},u=d=>{A().media[e].run===c&&(c={...c,...d},J(e,{run:c}))};J(e,{run:c});try{let d=await ie(s,{body:o?En(t,n):t,headers:{"x-request-id":a},signal:r.signal}),m=await(e==="speech"?d.blob():d.json()),f=ve(d.headers);u({state:"done",answer:m,headers:f,ms:performance.now()-i})}catch(d){let m=performance.now()-i;r.signal.aborted?u({state:"stopped",ms:m}):u({state:"failed",error:d,headers:ve(d.headers??new Headers),ms:m})}}function Tt(e){let{run:t}=A().media[e];t?.state==="waiting"&&t.stop()}var ws=2e4;function vs({state:e,kind:t,onClose:n}){let s=t==="chat",[o,r]=g(rt[0].id),[i,a]=g(String(e.columns[0].id)),{text:c,fault:u}=P(()=>{try{let m=s?St(Number(i)):Et(t),{write:f}=rt.find(({id:p})=>p===o);return{text:f({...m,baseUrl:`${location.origin}/v1`})}}catch(m){return{text:"",fault:m.message}}},[o,i]),d=c.length>ws?`${c.slice(0,ws)}
\u2026 (${c.length} characters; Copy takes all)`:c;return l`
    <${G} title="Copy the request" onClose=${n}>
      <div class="stack">
        <div class="row spread">
          <${F}
            label="Language"
            value=${o}
            options=${rt.map(({id:m,title:f})=>[m,f])}
            onChange=${r}
          />
          ${s&&e.columns.length>1&&l`
            <${F}
              label="Model"
              value=${i}
              options=${e.columns.map(({id:m,model:f},p)=>[String(m),`${p+1}: ${f}`])}
              onChange=${a}
            />
          `}
          <${j} text=${c} class="primary small" />
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
  `}function ks({error:e,fold:t,headers:n,isOpen:s,request:o,requestId:r,state:i,timing:a,toolAnswers:c}){let{message:u,status:d,type:m,code:f,param:p,requestId:h}=e??{},{first:y,total:$}=a;return{model:o.model,stream:o.body.stream,requestId:r,headers:n,first:y,total:$,message:{...t.toMessage(),reasoning_content:t.reasoning},finishReason:t.finishReason,usage:t.usage,state:s?"stopped":i,error:e&&{message:u,status:d,type:m,code:f,param:p,requestId:h},toolAnswers:[...c]}}function xs(e){let{model:t,stream:n,message:s,finishReason:o,usage:r,first:i,total:a}=e,c=new te({model:t,body:{stream:n},headers:{}});return c.fold.addCompletion({choices:[{message:s,finish_reason:o}],usage:r}),c.isRestored=!0,c.state=e.state,c.error=e.error&&new Vt(e.error.message,e.error),c.headers=e.headers,c.requestId=e.requestId,c.toolAnswers=new Map(e.toolAnswers),c.startedAt=0,c.firstTextAt=i,c.endedAt=a,c}var Rt="sluice.playground",Jr=400,_s=["kind","system","draft","parameters","tools","stream","streamUsage","panel"],it,Ss=[];function As(){Yr(),In(()=>{Xr(),Os()}),addEventListener("pagehide",Es)}function at(){clearTimeout(it);try{sessionStorage.removeItem(Rt)}catch{}}function Xr(){for(let e of Ss)e();Ss=re(A()).map(e=>e.onChange(()=>e.isOpen||Os()))}function Os(){clearTimeout(it),it=setTimeout(Es,Jr)}function Es(){clearTimeout(it);let e=Gr(A());!Cs(e)&&!Cs({...e,...Vr(e)})&&at()}function Cs(e){try{return sessionStorage.setItem(Rt,JSON.stringify(e)),!0}catch{return!1}}function Gr(e){return{...Object.fromEntries(_s.map(t=>[t,e[t]])),columns:e.columns,media:Object.entries(e.media).map(([t,{model:n,texts:s}])=>[t,{model:n,texts:s}]),turns:e.turns.map(({user:t,runs:n})=>({user:t,runs:[...n].map(([s,o])=>[s,o.map(ks)])}))}}function Vr({draft:e,turns:t}){return{draft:{...e,images:[]},turns:t.map(n=>({...n,user:{...n.user,images:[]}}))}}function Yr(){try{let e=JSON.parse(sessionStorage.getItem(Rt)??"null");e!==null&&k(zr(e))}catch{at()}}function zr(e){let t=new Map(e.columns.map(({id:r})=>[r,oe()])),n=e.turns.map(({user:r,runs:i})=>({id:oe(),user:r,runs:new Map(i.filter(([a])=>t.has(a)).map(([a,c])=>[t.get(a),c.map(xs)]))})),[s]=t.values(),o={...A().media};for(let[r,i]of e.media??[])r in o&&(o[r]={...o[r],...i});return{...Object.fromEntries(_s.filter(r=>r in e).map(r=>[r,e[r]])),media:o,columns:e.columns.map(r=>({...r,id:t.get(r.id)})),turns:n,selected:n.at(-1)?.runs.get(s)?.at(-1)??null}}var Ts=100;function Rs({label:e,value:t,options:n,onChange:s,render:o,placeholder:r,children:i}){let a=N("options"),c=_(null),[u,d]=g(!1),[m,f]=g(null),[p,h]=g(-1),{shown:y,total:$}=Qr(n,m),v=y[p]!==void 0;x(()=>{u&&v&&document.getElementById(`${a}-${p}`)?.scrollIntoView({block:"nearest"})},[u,p]);let b=()=>{d(!0),h(y.findIndex(({id:S})=>S===t))},w=()=>{d(!1),f(null),h(-1)},R=S=>{s(S),w()},X=()=>{m!==null&&m.trim()!==""&&s(m.trim()),w()},Ee=S=>{switch(S.key){case"ArrowDown":case"ArrowUp":{if(S.preventDefault(),!u)return b();let Te=S.key==="ArrowDown"?1:-1;return h(y.length===0?-1:(p+Te+y.length)%y.length)}case"Enter":return!u||S.ctrlKey||S.metaKey?void 0:(S.preventDefault(),v?R(y[p].id):X());case"Escape":u&&(S.stopPropagation(),w());return;default:return}};return l`
    <div class="combobox">
      <input
        ref=${c}
        role="combobox"
        aria-label=${e}
        aria-expanded=${String(u)}
        aria-controls=${a}
        aria-autocomplete="list"
        aria-activedescendant=${u&&v?`${a}-${p}`:void 0}
        autocomplete="off"
        spellcheck=${!1}
        placeholder=${r}
        value=${m??t}
        onInput=${S=>{f(S.target.value),d(!0),h(S.target.value===""?-1:0)}}
        onClick=${()=>!u&&b()}
        onFocus=${S=>S.target.select()}
        onBlur=${X}
        onKeyDown=${Ee}
      />
      ${i}
      <${I} name="down" />
      <ul
        id=${a}
        role="listbox"
        aria-label=${e}
        hidden=${!u}
        onMouseDown=${S=>S.preventDefault()}
      >
        ${u&&y.map((S,Te)=>l`
            <li
              key=${S.id}
              id=${`${a}-${Te}`}
              role="option"
              aria-selected=${String(Te===p)}
              class=${S.id===t?"chosen":""}
              onClick=${()=>R(S.id)}
            >
              <span class="wrap-anywhere">${S.id}</span>${o(S)}
            </li>
          `)}
        ${u&&$>y.length&&l`
          <li role="presentation" class="hint">${$-y.length} more: type to search</li>
        `}
        ${u&&$===0&&l`
          <li role="presentation" class="hint">Not in the list. Enter takes it as it is.</li>
        `}
      </ul>
    </div>
  `}function Qr(e,t){if(t===null||t.trim()==="")return{shown:e.slice(0,Ts),total:e.length};let n=t.trim().toLowerCase(),s=n.split(/\s+/),o=e.filter(({id:i,text:a=""})=>{let c=`${i} ${a}`.toLowerCase();return s.every(u=>c.includes(u))}),r=({id:i})=>i.toLowerCase().startsWith(n)?0:1;return o.sort((i,a)=>r(i)-r(a)),{shown:o.slice(0,Ts),total:o.length}}function Ms(){let[e,t]=g({models:[],error:null,isLoading:!0}),[n,s]=g(0);return x(()=>{let o=new AbortController;return O("/v1/models",{signal:o.signal}).then(({data:r})=>t({models:r,error:null,isLoading:!1}),r=>!o.signal.aborted&&t({models:[],error:r,isLoading:!1})),()=>o.abort()},[n]),{...e,reload:()=>s(n+1)}}function Is(e,t){let[n,s]=g({id:"",model:void 0}),o=t.find(i=>i.id===e),r=o===void 0&&e!==""&&t.length>0;return x(()=>{if(!r)return;let i=new AbortController;return O(`/v1/models/${encodeURIComponent(e)}`,{signal:i.signal}).then(a=>s({id:e,model:a}),()=>!i.signal.aborted&&s({id:e,model:null})),()=>i.abort()},[e,r]),o??(n.id===e?n.model:void 0)}function Ls({state:e,notes:t}){let{system:n,parameters:s,stream:o,streamUsage:r,tools:i}=e,{errors:a}=Fe(s),c=f=>(s[f]??"").trim()!=="",u=Object.keys(s).filter(c).length+(i.trim()===""?0:1),d=be.filter(({name:f})=>c(f)).length,m=f=>l`
      <${Se}
        key=${f.name}
        parameter=${f}
        text=${s[f.name]??""}
        error=${a.get(f.name)}
        onChange=${p=>k({parameters:{...s,[f.name]:p}})}
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
          onInput=${f=>k({system:f.target.value})}
        ></textarea>
      </div>
      ${ht.map(f=>m(f.name==="tool_choice"?Zr(f,i):f))}
      <${ei} text=${i} />
      <details class="more">
        <summary>More${d>0?`: ${d} set`:`: ${be.length}`}
          <span> parameters</span></summary>
        <div class="stack">
          <${Ns} label="Stream the answer" value=${o} onChange=${f=>k({stream:f})} />
          <${Ns} label="Usage and cost in the stream" value=${r} isOff=${!o}
            onChange=${f=>k({streamUsage:f})} />
          ${be.map(m)}
        </div>
      </details>
      <div class="row spread">
        <p class="hint">Empty fields are not sent.</p>
        <button type="button" class="quiet small" disabled=${u===0} onClick=${()=>k({parameters:{},tools:""})}>
          Clear${u>0?` ${u}`:""}
        </button>
      </div>
      ${t.map(f=>l`<p class="hint wrap-anywhere" key=${f}>${f}</p>`)}
    </div>
  `}function Zr(e,t){let n=(se(t).value??[]).map(s=>s.function?.name);return{...e,options:[...e.options,...n.filter(Boolean)]}}function Ns({label:e,value:t,isOff:n=!1,onChange:s}){return l`
    <label class="check">
      <input type="checkbox" checked=${t} disabled=${n} onChange=${o=>s(o.target.checked)} />
      ${e}
    </label>
  `}function ei({text:e}){let{error:t,value:n=[]}=se(e),s=n.map(r=>r.function?.name??r.custom?.name??r.type),o=r=>k({tools:r});return l`
    <div class="field">
      <div class="row spread">
        <label class="mono" for="tools">tools</label>
        <button type="button" class="quiet small" onClick=${()=>o(e===""?ce:"")}>${e===""?"Example":"Clear"}</button>
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
  `}function Se({parameter:e,text:t,error:n,onChange:s}){let o=N("parameter"),{name:r,label:i=r,kind:a}=e,c=a==="json"||a==="lines"||a==="long",u=n??(t===""||c?e.hint:void 0),d={id:o,parameter:e,text:t,onChange:s,isInvalid:n!==void 0};return l`
    <div class=${`parameter ${c?"wide":""} ${t===""?"":"touched"}`}>
      <label class="mono" for=${o}>${i}</label>
      <${ni} ...${d} />
      ${e.slider!==void 0&&l`<${ti} ...${d} />`}
      ${a==="format"&&we(t)==="json_schema"&&l`
        <textarea
          class="code growing"
          rows="3"
          spellcheck=${!1}
          aria-label=${`${r} as JSON`}
          aria-invalid=${String(n!==void 0)}
          value=${t}
          onInput=${m=>s(m.target.value)}
        ></textarea>
      `}
      <p id=${`${o}-hint`} class=${n===void 0?"hint":"fault"} hidden=${!u}>${u}</p>
    </div>
  `}function ti({parameter:{name:e,min:t,slider:n,step:s=1},text:o,onChange:r}){return l`
    <input
      type="range"
      aria-label=${`${e}, slider`}
      min=${t}
      max=${n}
      step=${s}
      value=${o.trim()===""?n/2:o}
      onInput=${i=>r(i.target.value)}
    />
  `}function ni({id:e,parameter:t,text:n,isInvalid:s,onChange:o}){let{kind:r}=t,i={id:e,value:n,"aria-invalid":String(s),"aria-describedby":`${e}-hint`,onInput:a=>o(a.target.value)};switch(r){case"boolean":return l`<${Mt} ...${i} options=${["true","false"]} />`;case"choice":return l`<${Mt} ...${i} options=${t.options} />`;case"format":return l`
        <${Mt}
          ...${i}
          value=${we(n)}
          options=${[...ee.keys()]}
          onInput=${a=>o(ee.get(a.target.value)??"")}
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
          title=${`Must be ${gt(t)}`}
          placeholder=${si(t)}
          onKeyDown=${a=>oi(a,t,n,o)}
        />
      `;default:return l`
        <input ...${i} autocomplete="off" spellcheck=${!1} placeholder="not sent" />
      `}}function Mt({options:e,value:t,...n}){let s=t===""||e.includes(t)?e:[...e,t];return l`
    <select ...${n} value=${t}>
      <option value="">not sent</option>
      ${s.map(o=>l`<option key=${o} value=${o}>${o}</option>`)}
    </select>
  `}function si({min:e,max:t}){return e!==void 0&&t!==void 0&&t<1e3?`${e} \u2013 ${t}`:e===void 0?"not sent":`\u2265 ${e}`}function oi(e,{kind:t,min:n,max:s,step:o=1},r,i){if(e.key!=="ArrowUp"&&e.key!=="ArrowDown")return;e.preventDefault();let a=r.trim()===""?t==="number"?1:n??0:Number(r);if(!Number.isFinite(a))return;let c=r.trim()===""?a:a+(e.key==="ArrowUp"?o:-o),u=Math.min(s??1/0,Math.max(n??-1/0,c));i(String(Math.round(u*1e3)/1e3))}function js({id:e,onClose:t}){let{columns:n,system:s}=Ke(),o=n.findIndex(d=>d.id===e);if(o===-1)return null;let{model:r,own:i={}}=n[o],a=d=>{let m={...i,...d};for(let f of Object.keys(m))m[f]===void 0&&delete m[f];k({columns:n.with(o,{...n[o],own:m})})},c=()=>{let{own:d,...m}=n[o];k({columns:n.with(o,m)})},u=i.parameters??{};return l`
    <${G} title=${`Settings of model ${o+1}`} onClose=${t}>
      <div class="stack">
        <p class="hint wrap-anywhere">They replace those of the page for ${r}. Empty ones do not.</p>
        ${$n.map(d=>{let m=u[d]??"",{error:f}=ye($t(d),m);return l`
            <${Se}
              key=${d}
              parameter=${$t(d)}
              text=${m}
              error=${f}
              onChange=${p=>a({parameters:{...u,[d]:p}})}
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
  `}function Ps({columns:e,models:t}){let n=(i,a)=>k({columns:e.map(c=>c.id===i?{...c,model:a}:c)}),[s,o]=g(null),r=i=>k({columns:e.filter(a=>a.id!==i)});return l`
    <div class="columns model-row" style=${{"--columns":e.length}}>
      ${e.map((i,a)=>{let{id:c,model:u}=i,d=gn(i);return l`
          <div class="model-column" key=${c}>
            <${It}
              label=${e.length===1?"Model":`Model ${a+1}`}
              id=${u}
              models=${t}
              onChange=${m=>n(c,m)}
            />
            ${d.length>0&&l`
              <span class="badge own" title=${d.join(", ")}>${d.join(", ")}</span>
            `}
            ${(e.length>1||d.length>0)&&l`
              <${T}
                icon="settings"
                class="small"
                label=${`Settings of model ${a+1}${d.length>0?`: ${d.join(", ")}`:""}`}
                onClick=${()=>o(c)}
              />
            `}
            ${e.length>1&&l`
              <${T}
                icon="close"
                class="small"
                label=${`Remove model ${a+1}`}
                onClick=${()=>r(c)}
              />
            `}
          </div>
        `})}
      ${e.some(({id:i})=>i===s)&&l`
        <${js} id=${s} onClose=${()=>o(null)} />
      `}
    </div>
  `}function It({label:e,id:t,models:n,onChange:s}){let o=Is(t,n),r=o===null?["unknown model"]:o===void 0?[]:[Le(o)==="alias"&&`alias of ${o.root}`,De(o),o.context_window&&Ie(o.context_window)].filter(Boolean);return l`
    <div class="model-chip" title=${o?ri(o):void 0}>
      <${Rs}
        label=${e}
        value=${t}
        options=${n}
        placeholder="Choose a model"
        onChange=${s}
        render=${i=>l`
            <span class="option-facts">
              ${Le(i)!=="model"&&l`
                <span class="badge">${Le(i)}</span>
              `}
              ${[i.owned_by,...$e(i).slice(0,1),De(i)].filter(Boolean).join(" \xB7 ")}
            </span>
          `}
      >
        <span class="chip-facts">${r.join("; ")}</span>
        <//>
        </div>
  `}function ri(e){let t=De(e);return[`${e.id} by ${e.owned_by}`,t&&`${t} (tokens by the million)`,...$e(e),le(e).join(", ")].filter(Boolean).join(". ")}function Ds({kind:e,entry:t,models:n}){let{fields:s,takesFile:o,verb:r}=U.get(e),{model:i,texts:a,run:c}=t,[u,d]=g(!1),{errors:m}=We(e,t),f=c?.state==="waiting",p=n[0]?.id;x(()=>{i===""&&p!==void 0&&J(e,{model:p})},[i,p]);let h=$=>{$.preventDefault(),d(!0),m.size===0&&ys(e)},y=$=>u||(a[$]??"")!=="";return l`
    <section class="media" aria-label=${U.get(e).title}>
      <div class="model-row model-column">
        <${It} label="Model" id=${i} models=${n} onChange=${$=>J(e,{model:$})} />
      </div>
      <form class="media-form" onSubmit=${h}>
        ${o&&l`
          <${ii} kind=${e} entry=${t}
            error=${u?m.get("file"):void 0} />
        `}
        ${s.map($=>l`
            <${Se}
              key=${$.name}
              parameter=${$}
              text=${a[$.name]??""}
              error=${y($.name)?m.get($.name):void 0}
              onChange=${v=>J(e,{texts:{...a,[$.name]:v}})}
            />
          `)}
        <div class="row end">
          ${f?l`<button type="button" class="danger" onClick=${()=>Tt(e)}>Stop</button>`:l`<button class="primary">${r}</button>`}
        </div>
      </form>
      <div class="media-answer" aria-live="polite">
        ${f&&l`<${M} text="Waiting for the answer" />`}
        ${c?.state==="stopped"&&l`<p class="hint">Stopped.</p>`}
        ${c?.error&&l`<${C} error=${c.error} title="The request failed" />`}
        ${c?.state==="done"&&l`<${ai} kind=${e} run=${c} />`}
        ${c&&!f&&l`<${di} run=${c} />`}
      </div>
    </section>
  `}function ii({kind:e,entry:{file:t},error:n}){return l`
    <div class="field">
      <label for="media-file">file</label>
      <input id="media-file" type="file" accept="audio/*,video/mp4,video/webm" onChange=${s=>J(e,{file:s.target.files[0]??null})} />
      <p class=${n===void 0?"hint":"fault"}>
        ${n??(t===null?"Audio, such as MP3 or WAV":`${t.name}, ${V(t.size)}`)}
      </p>
    </div>
  `}function ai({kind:e,run:{answer:t,body:n}}){switch(e){case"images":return l`<${li} images=${Rn(t)} prompt=${n.prompt} />`;case"speech":return l`<${ci} audio=${t} />`;case"transcription":return l`
        <p class="plain-text">${t.text}</p>
        <p>
          <${j} text=${t.text??""} />
        </p>
      `;default:return l`<${ui} rows=${Tn(t,n.documents)} />`}}function li({images:e,prompt:t}){return l`
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
  `}function ci({audio:e}){let t=_(null),[n,s]=g({seconds:null,fault:"",isPlaying:!1}),[o,r]=g("");x(()=>{let d=new AudioContext,m=!1,f=URL.createObjectURL(e);return r(f),e.arrayBuffer().then(p=>d.decodeAudioData(p)).then(p=>{m||(t.current={context:d,sound:p,source:null},s({seconds:p.duration,fault:"",isPlaying:!1}))},()=>m||s({seconds:null,fault:"This browser cannot play it"})),()=>{m=!0,URL.revokeObjectURL(f),d.close()}},[e]);let i=()=>{let{context:d,sound:m,source:f}=t.current;if(n.isPlaying)return f.stop();let p=new AudioBufferSourceNode(d,{buffer:m});return p.connect(d.destination),p.onended=()=>s(h=>({...h,isPlaying:!1})),t.current.source=p,d.resume(),p.start(),s({...n,isPlaying:!0})},{fault:a,isPlaying:c,seconds:u}=n;return l`
    <div class="row">
      <button type="button" disabled=${u===null} onClick=${i}>
        ${c?"Stop playing":"Play"}
      </button>
      <a class="button" href=${o} download="speech">Download</a>
      <span class="hint">${[u!==null&&L(1e3*u),e.type,V(e.size)].filter(Boolean).join(", ")}</span>
    </div>
    ${a!==""&&l`<p class="hint">${a}</p>`}
  `}function ui({rows:e}){return l`
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
  `}function di({run:{headers:e,ms:t,requestId:n}}){let s=e?.provider&&`${e.provider} / ${e.model??""}`,o=[s&&["Answered by",s],t!==null&&["Total",L(t)],e?.cost!=null&&["Cost",H(e.cost)],e?.ignored.length>0&&["Ignored",e.ignored.join(", ")]].filter(Boolean);return l`
    <div class="answer-foot">
      <${q} class="figures" facts=${o} />
      <a href=${`#/requests/${encodeURIComponent(n)}`}>Request</a>
    </div>
  `}function Bs({run:e}){Je(e),x(()=>void e.explain(),[e]);let{explanation:t,explanationError:n,isRestored:s}=e,o=t?.targets??[],r=t===null?0:Sn(t,e.target),[i,a]=g(null),c=Math.min(i??r,Math.max(0,o.length-1)),u=o[c],d=t===null&&n===null&&!s;return l`
    <${fi} run=${e} estimate=${u?.estimate} />
    ${o.length>1&&l`
      <section aria-label="Targets">
        <h3>Targets in order</h3>
        <${pi} ...${{targets:o,index:c,onChoose:a}} />
      </section>
    `}
    <section aria-label="Parameters">
      <h3>Parameters</h3>
      <${mi} target=${u} run=${e} isReal=${c===r} />
    </section>
    <section aria-label="Request to the vendor">
      <h3>Request to the vendor</h3>
      ${d&&l`<${M} />`}
      ${s&&l`
        <p class="hint">
          Bodies are not kept when the page is loaded again. "Ask again" shows them.
        </p>
      `}
      ${u?.request&&l`<${hi} request=${u.request} />`}
      ${u?.error&&l`<${C} error=${u.error} title="Nothing is sent" />`}
      ${n!==null&&l`
        <${C} error=${n} title="Nothing is sent" />
      `}
    </section>
  `}function fi({run:e,estimate:t}){let{headers:n,record:s,request:o,requestId:r,state:i}=e,a=e.target&&`${e.target.provider} / ${e.target.model}`,c=i==="preview",u=[["Requested",o.model],[i==="failed"?"Target":"Answered by",a],["Attempts",e.attempts],["Overhead",Nt(n?.overheadMs,L)],["Cost",Nt(e.cost,H)],c?["Tokens in",t?.input_tokens]:["",""],c?["Cost at most",Nt(t?.max_cost_usd,H)]:["",""],["Tags",s?.tags?.length>0?s.tags.join(", "):null],["Vendor's ID",n?.upstreamRequestId],c?["",""]:["Request",l`<a class="mono" href=${`#/requests/${encodeURIComponent(r)}`}>${r}</a>`]].filter(([,d])=>d!=null&&d!=="");return l`
    <section aria-label="Route">
      <div class="row spread">
        <h3>${c?"Preview":"Route"}</h3>
        ${c&&l`<span class="badge">nothing was sent</span>`}
      </div>
      <${q} class="facts-list" facts=${u} />
    </section>
  `}function Nt(e,t){return e==null?null:t(e)}function pi({targets:e,index:t,onChoose:n}){return l`
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
  `}function mi({target:e,run:t,isReal:n}){let s=t.headers===null?[]:wt(t.headers),o=kn(e?.receipt??[],n?t.headers:null),r=xn(e===void 0?s:o),i=r.filter(({fate:c})=>c!=="as is"),a=r.filter(({fate:c})=>c==="as is");return r.length===0?l`<p class="hint">${e?.error?"None was converted.":"The request has none."}</p>`:l`
    ${i.length>0&&l`<${qs} rows=${i} />`}
    ${a.length>0&&l`
      <details class="same">
        <summary>
          ${a.length} sent as ${a.length===1?"it is":"they are"}
        </summary>
        <${qs} rows=${a} />
      </details>
    `}
  `}function qs({rows:e}){return l`
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
  `}var Fs=3e4;function hi({request:{method:e,url:t,headers:n,body:s}}){let o=_n(s);return l`
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
        <pre class="code-box" tabindex="0" aria-label="Body">${o.length>Fs?`${o.slice(0,Fs)}
\u2026`:o}</pre>
        <${j} text=${()=>JSON.stringify(s,null,2)} />
      </div>
    </div>
  `}Gt(()=>{Xt()||(Nn(),at())});As();function Us({route:e}){return Jt()===""?l`
      <p class="notice">The playground needs a service key.</p>
      <${nn} />
    `:l`<${bi} named=${e.query.get("model")} />`}var $i=[["chat","Messages"],["settings","Parameters"],["receipt","Receipt"]],gi=[["chat","Chat"],...[...U].map(([e,{title:t}])=>[e,t])];function bi({named:e}){let t=Ke(),{models:n,error:s,isLoading:o,reload:r}=Ms();tn(s??void 0,r);let i=P(()=>Map.groupBy(n,mt),[n]),a=P(()=>i.get("chat")??[],[i]),[c,u]=g("");x(()=>{!e||n.length===0||(history.replaceState(null,"","#/playground"),u(xi(e,n)?"":e))},[e,n]),x(()=>Si(a),[a]);let d=gi.filter(([f])=>i.has(f)||f==="chat"&&n.length===0),m=d.some(([f])=>f===t.kind)?t.kind:d[0]?.[0]??"chat";return l`
    <div class="playground" data-panel=${t.panel} data-kind=${m}>
      <${yi} ...${{kind:m,kinds:d,models:a,state:t,error:s,reload:r}} />
      ${c!==""&&l`
        <p class="notice" role="status">
          There is nothing to try with ${c}: it is for embeddings or moderation.
        </p>
      `}
      ${m==="chat"?l`<${wi} ...${{state:t,models:a,isLoading:o}} />`:l`
        <${Ds} key=${m} kind=${m} entry=${t.media[m]}
          models=${i.get(m)} />
      `}
    </div>
  `}function yi({kind:e,kinds:t,models:n,state:s,error:o,reload:r}){let{columns:i,panel:a}=s,[c,u]=g(!1);return l`
    <header class="playground-head">
      <h1>Playground</h1>
      ${t.length>1&&l`
        <${F} label="Kind" value=${e} options=${t} onChange=${d=>k({kind:d})} />
      `}
      <span class="grow"></span>
      ${e==="chat"&&l`
        <button
          type="button"
          aria-keyshortcuts="Alt+Shift+C"
          title="Compare with another model"
          disabled=${i.length>=He}
          onClick=${()=>Fn(n)}
        >Compare</button>
      `}
      <button type="button" aria-keyshortcuts="Alt+Shift+Y" onClick=${()=>u(!0)}>
        Copy as
      </button>
      ${e==="chat"&&l`
        <${F} label="Panel" value=${a} options=${$i} onChange=${d=>k({panel:d})} />
      `}
      ${o&&l`
        <div class="stack">
          <${C} error=${o} title="Cannot load the models" />
          <p><button type="button" onClick=${r}>Try again</button></p>
        </div>
      `}
      ${c&&l`
        <${vs} state=${s} kind=${e} onClose=${()=>u(!1)} />
      `}
    </header>
  `}function wi({state:e,models:t,isLoading:n}){let{columns:s,panel:o,parameters:r,selected:i,stream:a,streamUsage:c,system:u,tools:d}=e,m=vi(e).join(`
`),f=P(()=>l`<${Ls} state=${e} notes=${m.split(`
`).filter(Boolean)} />`,[r,a,c,u,d,m]),p=P(()=>l`<${Ps} columns=${s} models=${t} />`,[s,t]),h=P(()=>l`<${ki} run=${i} />`,[i]);return l`
    <section class="chat-panel" aria-label="Conversation">
      ${p}
      <${$s} state=${e} isLoading=${n} />
      <${zn} state=${e} />
    </section>
    <aside class="side-panel" aria-label=${o==="receipt"?"Receipt":"Parameters"}>
      ${o==="receipt"?h:f}
    </aside>
  `}function vi({columns:e,turns:t}){let n=e.flatMap(({id:s,model:o})=>{let r=t.at(-1)?.runs.get(s)?.at(-1)?.headers?.ignored??[];return r.length===0?[]:[`${o} ignores ${r.join(", ")}.`]});return e.length>1&&n.push("A new column begins with the history of the first one."),n}function ki({run:e}){return e===null?l`
      <div class="empty">
        <p>The receipt of an answer: what was ignored, converted and added, by which rule, and the
          request to the vendor.</p>
        <p class="hint"><kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd> shows it without sending.</p>
      </div>
    `:l`
    <div class="receipt">
      <${Bs} key=${e.id} run=${e} />
    </div>
  `}function xi(e,t){let n=t.find(({id:i})=>i===e||e.startsWith(`${i}@`)),s=n===void 0?"chat":mt(n);if(U.has(s))return k({kind:s}),J(s,{model:e}),!0;if(s!=="chat")return!1;let[o,...r]=A().columns;return k({kind:"chat",columns:[{...o,model:e},...r]}),!0}function Si(e){let{columns:t}=A(),[n]=e;n===void 0||t.some(({model:s})=>s!=="")||k({columns:t.map(s=>({...s,model:n.id}))})}var oo={};Re(oo,{default:()=>so});var lt=new Map([["model","Model"],["alias","Alias"],["pinned","Pinned"],["pattern","Pattern"]]);function Ks({data:e,targets:t},n){let s=new Map(t.map(i=>[Lt(i),i])),o=new Map((n?.models??[]).map(i=>[Lt(i),i])),r=i=>{let a=Lt(i),c={...Ci,...o.get(a)};return{...s.get(a),...i,state:c,health:cn(c)}};return e.map(i=>{let a=(i.steps??[]).map(u=>({...u,targets:u.targets.map(r)})),c=a.flatMap(u=>u.targets);return{...i,steps:a,all:c,..._i(c),health:Oi(c)}})}var Ci={breaker:"closed",attempts:0,failed_attempts:0,last_failure:null,p50_ms:null,health:null};function Lt({provider:e,upstream:t}){return JSON.stringify([e,t])}function _i(e){let t=e.filter(({attempts:r})=>r>0),n=t.reduce((r,i)=>r+i.attempts,0),s=t.reduce((r,i)=>r+i.failed_attempts,0),o=t.toSorted((r,i)=>i.attempts-r.attempts)[0];return{attempts:n,failed:s,uptime:n===0?null:1-s/n,p50:o?.p50_ms??null,p95:o?.p95_ms??null}}var Ai=["ok","unused","slow","silent","limited","degraded","failing"];function Oi(e){return Ai.find(t=>e.some(n=>n.health===t))??"unused"}function Js(e,t,n){let s=t.toLowerCase().split(/\s+/).filter(o=>o!=="");return e.filter(o=>{if(n!=="all"&&o.form!==n)return!1;if(s.length===0)return!0;let r=o.all.map(({kind:a,provider:c,upstream:u})=>`${c} ${a} ${u}`),i=[o.id,o.display_name??"",...r].join(" ").toLowerCase();return s.every(a=>i.includes(a))})}function Xs({weight:e},{balance:t,targets:n}){if(t!=="weighted"||n.length<2)return;let s=n.reduce((o,r)=>o+(r.weight??1),0);return s===0?void 0:`${Math.round(100*(e??1)/s)} %`}var Gs=new Map([["in_order","the first"],["weighted","by weight"],["p2c","the less loaded of two"],["ttft","the fastest first token"],["throughput","the fastest output"],["price","the cheapest"]]),Hs=["rate_limited","quota","auth","not_found","unavailable","timeout"];function Vs({when:e}){return e.length===Hs.length&&Hs.every(n=>e.includes(n))?"if it fails":e.length===0?"never":`after ${e.join(", ").replaceAll("_"," ")}`}function Ys(e,t){if(e===void 0)return;let{read_at:n}=e,s=Math.max(0,Math.round((t/1e3-(n??0))/60));return`listed by the vendor${n===void 0?"":`, read ${s} min ago`}${e.stale?", stale":""}`}var Ce=[...qe.keys()];function de(e,t,n,s,o={}){return{id:e,title:t,of:n,text:s,isNumber:!0,...o}}function zs(e){return({prices:t})=>t&&Pe(t)?t[e]:void 0}var Ei=[{id:"name",title:"Model",of:({id:e})=>e,isRisingFirst:!0},{id:"form",title:"Form",of:({form:e})=>e==="model"?void 0:lt.get(e)},{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({all:e,health:t})=>Ce.indexOf(Zs(e)??t),cell:e=>l`<${Ri} entry=${e} />`},{id:"targets",title:"Tried in this order",isProse:!0,card:"c",of:jt,cell:e=>l`<span title=${jt(e)}>${jt(e)}</span>`},de("input_price","In",zs("input"),Q,{hint:"US dollars per million input tokens"}),de("output_price","Out",zs("output"),Q,{hint:"US dollars per million output tokens"}),{id:"unit_price",title:"Per unit",of:({prices:e})=>je(e).join(", ")},de("context","Context",e=>e.context_window,Ie),{id:"capabilities",title:"Can",class:"soft",of:e=>le(e).join(", ")},de("p50","p50",e=>e.p50,L),de("uptime","Uptime",e=>e.uptime,e=>he(e,1)),de("attempts","Attempts",e=>e.attempts,E,{card:"d",mark:"attempts",hint:"Attempts in 24 hours"})];function Qs({entries:e,opened:t}){return e.length===0?l`<p class="card empty">No name fits.</p>`:l`
    <${ln}
      label="Models, aliases and pinned names"
      columns=${Ei}
      rows=${e}
      idOf=${({id:n})=>n}
      hrefOf=${({id:n})=>`#/models/${encodeURIComponent(n)}`}
      actionsOf=${Ti}
      order=${{id:"attempts",isRising:!1}}
      current=${t}
      onClose=${t===void 0?void 0:()=>location.hash="#/models"}
    />
  `}function Ti({form:e,id:t}){let n=e!=="pattern";return[...n?[{text:"Try",href:`#/playground?model=${encodeURIComponent(t)}`}]:[],{text:"Targets and facts",href:`#/models/${encodeURIComponent(t)}`},{text:"Its requests",href:an({...rn,model:t})},...n?[{text:"Settings for a client",href:`#/clients?model=${encodeURIComponent(t)}`}]:[],{text:"Copy the name",copy:t}]}function jt({steps:e}){return e.map(({targets:t})=>[...new Set(t.map(({provider:n})=>n))].join(", ")).join(" \u2192 ")}function Zs(e){return e.map(({health:n})=>n).filter(n=>Ce.indexOf(n)<Ce.indexOf("ok")).toSorted((n,s)=>Ce.indexOf(n)-Ce.indexOf(s))[0]}function Ri({entry:{all:e,health:t}}){let n=Zs(e);if(n===void 0||e.length===1)return l`<${Pt} state=${n??t} />`;let s=e.filter(o=>o.health===n).length;return s===e.length?l`<${Pt} state=${n} />`:l`
    <span class=${`st ${n}`}>${s} of ${e.length} ${qe.get(n).text.toLowerCase()}</span>
  `}function Pt({state:e}){return e==="limited"?l`<span class="st slow">${qe.get(e).text}</span>`:l`<${en} state=${e} />`}function eo({id:e}){return l`
    <a
      class="button small"
      href=${`#/playground?model=${encodeURIComponent(e)}`}
      aria-label=${`Try ${e}`}
    >Try</a>
  `}function to({entry:{health:e,state:t}}){return t!==void 0&&t.breaker!=="closed"?l`<${dn} state=${t.breaker} />`:l`<${Pt} state=${e} />`}function _e(e,t){return e==null?"\u2013":t(e)}function no({entry:e,now:t}){let{form:n,id:s,steps:o}=e;return l`
    <section class="card model-details" aria-labelledby="model-title">
      <div class="row spread">
        <h2 id="model-title" class="row">
          <span class="mono wrap-anywhere">${s}</span>
          <span class="badge">${lt.get(n)}</span>
        </h2>
        <div class="row">
          <${j} text=${s} label="Copy the name" />
          ${n!=="pattern"&&l`
            <a class="button" href=${`#/clients?model=${encodeURIComponent(s)}`}>
              Copy settings for a client
            </a>
            <${eo} id=${s} />
          `}
          <${T} icon="close" label="Close" onClick=${()=>location.hash="#/models"} />
        </div>
      </div>
      ${e.description&&l`<p class="soft">${e.description}</p>`}
      <${q} class="facts" facts=${Mi(e,t)} />
      <h3>Where its requests go</h3>
      <ol class="route-graph">
        <li class="route-start"><span class="badge accent">Request</span></li>
        ${o.map((r,i)=>l`<${Ni} key=${i} step=${r} index=${i} />`)}
      </ol>
      ${e.other_providers&&l`
        <p class="soft small">
          Also at ${e.other_providers.join(", ")}: as <code>${`${e.root}@${e.other_providers[0]}`}</code>, or with <code>pins</code> and <code>balance</code>.
        </p>
      `}
    </section>
  `}function Mi(e,t){let{display_name:n,prices:s,source:o}=e;return[["Shown as",n===e.id?void 0:n],["Limits",$e(e).join(", ")||"unknown"],["Prices",s?Ii(s):"unknown"],["Capabilities",le(e).join(", ")||"unknown"],["Attempts, 24 hours",`${E(e.attempts)}, ${E(e.failed)} failed`],["Uptime, 24 hours",_e(e.uptime,i=>he(i,1))],["Source",Ys(o,t)??"config.yaml"]].filter(([,i])=>i!==void 0)}function Ii(e){let{cache_write:t,cached_input:n,input:s,output:o}=e,r=[`${Q(s)} in`,`${Q(o)} out`,...n===void 0?[]:[`${Q(n)} cached`],...t===void 0?[]:[`${Q(t)} cache write`]];return[...Pe(e)?[`per million tokens ${r.join(", ")}`]:[],...je(e)].join("; ")}function Ni({step:e,index:t}){let{balance:n,targets:s}=e;return l`
    <li class="route-step">
      <span class="route-arrow" aria-hidden="true"></span>
      <span class="route-when small">
        ${t===0?"first":Vs(s[0])}
      </span>
      <div class="route-targets">
        ${s.length>1&&l`
          <span class="soft small">${E(s.length)} equals: ${Gs.get(n)??n}</span>
        `}
        <ul>
          ${s.map(o=>l`
              <${Li}
                key=${`${o.provider} ${o.upstream}`}
                target=${o}
                share=${Xs(o,e)}
              />
            `)}
        </ul>
      </div>
    </li>
  `}function Li({target:e,share:t}){let{attempts:n,kind:s,provider:o,state:r,upstream:i,uptime:a}=e;return l`
    <li class=${`route-target ${r.breaker==="closed"?"":"broken"}`}>
      <div class="row spread">
        <strong class="mono wrap-anywhere">${i}</strong>
        <${to} entry=${e} />
      </div>
      <span class="soft small">
        ${o}${s===o?"":` (${s})`}${t&&l`${" \xB7 "}<strong>${t}</strong>`}
      </span>
      <span class="faint small">
        ${n>0?`p50 ${_e(e.p50_ms,L)}, p95 ${_e(e.p95_ms,L)}, uptime ${_e(a,c=>he(c,1))}`:"no attempt in 24 hours"}
        ${r.tries_again_in_ms>0&&`; tries again in ${L(r.tries_again_in_ms)}`}
      </span>
    </li>
  `}var ji=[["all","All"],["model","Models"],["alias","Aliases"],["pinned","Pinned"]];function so({route:e}){let t=ae(),{data:n,error:s,isLoading:o,reload:r}=D(a=>O(pt(t,"routes"),{signal:a}),[t.hasAdmin]),{state:i}=un(pt(t,"live"));return l`
    <div class="view" data-view="models">
      <${Z}
        title=${n===void 0?"Models":Pi(n.data)}
        note=${t.hasAdmin?"Every name that a request may use, and where it goes.":"The names that your key may use, and where they go."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${r}
          disabled=${o}>Refresh</button>
      <//>
      <${C} error=${s} title="The models cannot be loaded" />
      ${n===void 0?!s&&l`<${M} text="Loading the models" />`:l`<${Di} routes=${n} live=${i} opened=${e.path[0]} />`}
    </div>
  `}function Pi(e){let t=s=>e.filter(({form:o})=>o===s).length,n=(s,o,r)=>s===0?[]:`${E(s)} ${s===1?o:r}`;return[n(t("model"),"model","models"),n(t("alias"),"alias","aliases")].flat().join(", ")||"Models"}function Di({routes:e,live:t,opened:n}){let[s,o]=g(""),[r,i]=g("all"),a=JSON.stringify((t?.models??[]).map(f=>[f.provider,f.upstream,f.breaker,f.attempts,f.failed_attempts,Math.ceil((f.tries_again_in_ms??0)/1e3)])),c=P(()=>Ks(e,t),[e,a]),u=P(()=>Js(c,s,r),[c,s,r]),d=P(()=>l`<${Qs} entries=${u} opened=${n} />`,[u,n]),m=c.find(({id:f})=>f===n);return l`
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
      <${F} label="Names" value=${r} options=${ji} onChange=${i} />
      <span class="soft small" role="status">
        ${E(u.length)} of ${E(c.length)} names
      </span>
    </div>
    ${n!==void 0&&(m===void 0?l`<p class="notice" role="status">There is no model <code>${n}</code>.</p>`:l`<${no} entry=${m} now=${Date.parse(t?.at??e.since)} />`)}
    ${d}
  `}var io={};Re(io,{default:()=>ro});var qi=[["linux","Linux"],["darwin","macOS"],["windows","Windows"]];function ro({route:e}){let{hasService:t}=ae(),[n,s]=g(Fi);return l`
    <div class="view" data-view="clients">
      <${Z} title="Clients" note="What each client is set to, to use this gateway.">
        <${F} label="Operating system" value=${n} options=${qi} onChange=${s} />
      <//>
      ${t?l`<${Bi} os=${n} model=${e.query.get("model")??""} />`:l`
        <p class="card empty">The settings name the models of a service key. Sign in with one.</p>
      `}
    </div>
  `}function Fi(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Bi({os:e,model:t}){let n=new URLSearchParams({os:e,origin:location.origin,...t!==""&&{model:t}}),{data:s,error:o}=D(c=>O(`/v1/clients?${n}`,{signal:c}),[e,t]),[r,i]=g("");if(o)return l`<${C} error=${o} title="The settings cannot be shown" />`;if(!s)return l`<${M} text="Loading the settings" />`;if(s.data.length===0)return l`<p class="card empty">This key may use no model that answers chats.</p>`;let a=s.data.find(c=>c.id===r)??s.data[0];return l`
    <div class="stack">
      ${t!==""&&l`
        <p class="soft" role="status">
          With the model <code>${t}</code>. <a href="#/clients">Use the usual one</a>
        </p>
      `}
      <label class="row">
        Client
        <select class="inline" aria-keyshortcuts="Alt+Shift+F" value=${a.id} onChange=${c=>i(c.target.value)}>
          ${s.data.map(c=>l`<option key=${c.id} value=${c.id}>${c.title}</option>`)}
        </select>
      </label>
      <${Ui} key=${`${e} ${a.id}`} client=${a} />
    </div>
  `}function Ui({client:{id:e,title:t,source:n,checked:s,files:o,steps:r}}){return l`
    <section class="card stack padded client-settings" aria-label=${t}>
      ${o.map(({path:i,text:a})=>l`
          <div key=${i} class="stack">
            <div class="row spread">
              <code>${i}</code>
              <${j} text=${a} label=${`Copy settings for ${t}`} class="small" />
            </div>
            <pre class="code-box" tabindex="0" aria-label=${`Content of ${i}`}>${a}</pre>
          </div>
        `)}
      ${r.length>0&&l`
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
  `}var Oo={};Re(Oo,{default:()=>Ao});function lo(e,t){let[n,s]=[e.split(`
`),t.split(`
`)],o=0;for(;o<n.length&&o<s.length&&n[o]===s[o];)o++;let r=0;for(;r<n.length-o&&r<s.length-o&&n[n.length-1-r]===s[s.length-1-r];)r++;let i=Wi(n.slice(o,n.length-r),s.slice(o,s.length-r));if(i.length===0)return[];let a=[],[c,u]=[o,o];for(let{sign:f,text:p}of i)a.push({sign:f,text:p,line:f==="-"?c+1:u+1}),f!=="+"&&c++,f!=="-"&&u++;let d=s.slice(Math.max(0,o-3),o).map((f,p,{length:h})=>({sign:" ",text:f,line:o-h+p+1})),m=s.slice(u,u+3).map((f,p)=>({sign:" ",text:f,line:u+p+1}));return Hi([...d,...a,...m])}function Wi(e,t){if(e.length*t.length>4e6)return ao(e,t);let n=t.length+1,s=new Uint32Array((e.length+1)*n);for(let a=e.length-1;a>=0;a--)for(let c=t.length-1;c>=0;c--)s[a*n+c]=e[a]===t[c]?s[(a+1)*n+c+1]+1:Math.max(s[(a+1)*n+c],s[a*n+c+1]);let o=[],[r,i]=[0,0];for(;r<e.length&&i<t.length;)e[r]===t[i]?(o.push({sign:" ",text:e[r]}),r++,i++):s[(r+1)*n+i]>=s[r*n+i+1]?o.push({sign:"-",text:e[r++]}):o.push({sign:"+",text:t[i++]});return[...o,...ao(e.slice(r),t.slice(i))]}function ao(e,t){return[...e.map(n=>({sign:"-",text:n})),...t.map(n=>({sign:"+",text:n}))]}function Hi(e){let t=[],n=-1/0;for(let[s,o]of e.entries())e.slice(Math.max(0,s-3),s+3+1).some(({sign:i})=>i!==" ")&&(s!==n+1&&t.push([]),t.at(-1).push(o),n=s);return t}var Ki=new Map([["providers","Provider"],["models","Model"],["aliases","Alias"],["pins","Pin"],["limits","Limit"],["keys","Service key"],["admin_keys","Admin key"],["settings","Setting"]]),Ji={added:"good",removed:"bad",changed:"accent"};function ct({check:e,onGo:t}){let{problems:n,more_problems:s}=e;return n.length===0?l`<p class="row"><span class="badge good">valid</span> No problems</p>`:l`
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
    ${s>0&&l`<p class="hint">${E(s)} more problems</p>`}
  `}function ut({check:e}){let{changes:t,more_changes:n}=e;return t.length===0?l`<p class="soft">It changes nothing that is in use.</p>`:l`
    <${Ne} label="Changes of the configuration in use" class="config-changes">
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
              <td>${Ki.get(s)??s}</td>
              <th scope="row" class="mono wrap-anywhere">${o}</th>
              <td>
                <span class=${`badge ${Ji[r]}`}>${r}</span>
                ${i!==void 0&&l`<del class="mono wrap-anywhere">${i}</del>`}
                ${a!==void 0&&l`<ins class="mono wrap-anywhere">${a}</ins>`}
              </td>
            </tr>
          `)}
      </tbody>
      <//>
    ${n>0&&l`<p class="hint">${E(n)} more changes</p>`}
  `}function Dt({before:e,after:t,label:n}){let s=lo(e,t);return s.length===0?l`<p class="soft">The texts are the same.</p>`:l`
    <div class="line-diff" role="group" aria-label=${n} tabindex="0">
      ${s.map((o,r)=>l`
          <div key=${r} class="line-group">
            ${o.map(({sign:i,text:a,line:c},u)=>l`
                <div key=${u} class=${Xi[i]}>
                  <span class="faint">${c}</span>
                  <span class="only-read">${Gi[i]}</span>
                  <code>${`${i} ${a}`}</code>
                </div>
              `)}
          </div>
        `)}
    </div>
  `}var Xi={"+":"added","-":"removed"," ":""},Gi={"+":"added","-":"removed"," ":""};var Vi=/^(\s*)((?:- +)*)(?:(["']?)([^\s"'#,{}[\]][^"'#,{}[\]]*?)\3\s*:(?=\s|$))?\s*(.*)$/;function uo(e,t){let n=e.split(`
`),s=e.slice(0,t).split(`
`).length-1,o=e.slice(0,t).split(`
`)[s];if(/(?:^|\s)#/.test(o)||o.includes("	"))return;let r=fe(o),{steps:i,prefix:a,isKey:c,siblings:u}=Yi(r),{path:d,providerLine:m,above:f}=zi(n,s,r),p=i.length>0||r.key!==void 0;return{path:[...d,...i],prefix:a,isKey:c,siblings:u??(p?[]:[...f,...Zi(n,s,r.column)]),kind:d[0]==="providers"||i[0]==="providers"?ea(n,m??s):void 0}}function fe(e){let[,t,n,,s,o]=Vi.exec(e)??["","","","",void 0,""];return{indent:t.length,marks:n.length,column:t.length+n.length,key:s,rest:o}}function Yi({key:e,rest:t}){let n=e===void 0?[]:[e],s=[],o=0;for(let{0:u,index:d}of t.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[{}\],]/g)){if(u.length>1)continue;let m=/([^\s"'{},[\]:]+)["']?\s*:\s*$/.exec(t.slice(o,d))?.[1];if(u==="{"||u==="[")m!==void 0&&n.push(m),u==="["&&n.push("[]"),s.push({mark:u,count:(m===void 0?0:1)+(u==="["?1:0),keys:[]});else if(u!==","){let{count:f}=s.pop()??{count:0};n.splice(n.length-f)}if(u===","&&s.length>0){let f=/^\s*["']?([^\s"'{},[\]:]+)["']?\s*:/.exec(t.slice(o,d))?.[1];f!==void 0&&s.at(-1).keys.push(f)}o=d+1}let r=t.slice(o),i=s.at(-1),a=i?.mark==="{"?/^\s*["']?([^\s"':]+)["']?\s*:\s+(.*)$/.exec(r):null;a!==null&&n.push(a[1]);let c=a!==null||i?.mark==="["||i===void 0&&e!==void 0;return{steps:n,prefix:(a?.[2]??r).trimStart().replace(/^["']/,""),isKey:!c,siblings:i?.mark==="{"?i.keys:void 0}}function zi(e,t,{indent:n,marks:s,column:o}){let r=[],i=[],a=o,c=s>0;c&&(r.push("[]"),a=n+1);for(let u=t-1;u>=0&&a>0;u--){let d=e[u];if(/^\s*(#|$)/.test(d))continue;let{indent:m,marks:f,column:p,key:h,rest:y}=fe(d);if(p===a&&!c&&h!==void 0&&r.length===0&&i.push(h),f>0&&p===a&&!c){r.unshift("[]"),a=m+1,c=!0;continue}if(p>=a||h===void 0||/^[^&!#\s]/.test(y)){if(p<a&&h===void 0)break;continue}r.unshift(h),a=p,c=!1,f>0&&(r.unshift("[]"),a=m+1,c=!0)}return{path:r,above:i,providerLine:Qi(e,t,r)}}function Qi(e,t,[n,s]){if(!(n!=="providers"||s===void 0))for(let o=t;o>=0;o--){let{key:r,column:i}=fe(e[o]);if(r===s&&i>0)return o}}function Zi(e,t,n){let s=[];for(let o of e.slice(t+1)){if(/^\s*(#|$)/.test(o))continue;let r=fe(o);if(r.column<n||r.marks>0)break;r.column===n&&r.key!==void 0&&s.push(r.key)}return s}function ea(e,t){let{column:n}=fe(e[t]??"");for(let s=t;s<e.length;s++){if(s>t&&e[s].trim()!==""&&fe(e[s]).column<=n)return;let o=/(?:^|[\s{,])kind:\s*["']?([\w-]+)/.exec(e[s])?.[1];if(o!==void 0)return o}}function fo(e,t){if(t===void 0)return[];let{isKey:n,prefix:s,siblings:o}=t,r=qt(e,t),i=n?na(r,e,o):Ft(r),a=s.toLowerCase();return i.filter(({text:c})=>c.toLowerCase().includes(a)&&c!==s).sort((c,u)=>co(c,a)-co(u,a)).slice(0,50)}function po(e,t){return e===void 0?[]:ho(qt(e,t),e,[])}function mo(e,t){return e===void 0?[]:Ft(qt(e,t)).map(({text:n})=>n)}function ho(e,t,n){let s=new Map;for(let[o,r]of e.flatMap(({properties:i={}})=>Object.entries(i))){let i=Ae(r,t),a=[...new Set(i.flatMap(({type:p=[]})=>p))],c=Ft(i).map(({text:p})=>p),u=i.some(({const:p,enum:h,type:y=[]})=>p===void 0&&h===void 0&&[y].flat().some($=>["string","number","integer"].includes($))),d=i.find(({description:p})=>p)?.description??"",m=[...n,o];(u||c.length>0)&&s.set(m.join("."),{path:m,types:a,options:u?[]:c,hint:d});let f=n.length===0?ho(i,t,m):[];for(let p of f)s.set(p.path.join("."),p)}return[...s.values()]}function qt(e,{path:t,kind:n}){let s=Ae(e,e);for(let[o,r]of t.entries())if(s=s.flatMap(i=>Ae(ta(i,r),e)),t[0]==="providers"&&o===1&&n!==void 0){let i=s.filter(({properties:a})=>a?.kind?.const===n);i.length>0&&(t[2]??"")!=="kind"&&(s=i)}return s}function co({text:e},t){return e.toLowerCase().startsWith(t)?0:1}function ta({properties:e,additionalProperties:t,items:n},s){return s==="[]"?n:e!==void 0&&Object.hasOwn(e,s)?e[s]:typeof t=="object"?t:void 0}function Ae(e,t){if(typeof e!="object"||e===null)return[];let{$ref:n,anyOf:s=[],oneOf:o=[],allOf:r=[]}=e,a=[...n===void 0?[]:[n.split("/").slice(1).reduce((c,u)=>c?.[u],t)],...s,...o,...r];return[e,...a.flatMap(c=>Ae(c,t))]}function na(e,t,n){let s=new Map;for(let{properties:o={}}of e)for(let[r,i]of Object.entries(o)){if(n.includes(r)||s.has(r))continue;let a=Ae(i,t),c=a.some(({type:d})=>d==="object"||d==="array")&&!a.some(({type:d})=>d==="string"),u=a.find(({description:d})=>d)?.description??"";s.set(r,{text:r,insert:c?`${r}:`:`${r}: `,hint:u})}return[...s.values()]}function Ft(e){let t=new Map;for(let{const:n,enum:s=[],type:o,default:r}of e){let i=[...n===void 0?[]:[n],...s,...o==="boolean"?[!0,!1]:[]];for(let a of i){let c=String(a);t.set(c,{text:c,insert:c,hint:a===r?"the default":""})}}return[...t.values()]}var Bt=20;function go({text:e,schema:t,problems:n,target:s,onInput:o}){let r=_(null),i=_(null),[a,c]=g(void 0);x(()=>{s!==void 0&&oa(r.current,s)},[s]),Me(()=>{a!==void 0&&document.getElementById(`config-option-${a.active}`)?.scrollIntoView({block:"nearest"})},[a]);let u=h=>{let{selectionStart:y,selectionEnd:$,value:v,scrollTop:b,scrollLeft:w}=r.current,R=y===$&&t?uo(v,y):void 0,Ee=h||(R?.prefix??"")!==""?fo(t,R):[];if(Ee.length===0)return c(void 0);let S=v.slice(0,y).split(`
`);c({options:Ee,active:0,length:R.prefix.length,top:S.length*Bt-b,column:S.at(-1).length-R.prefix.length,scrollLeft:w})},d=({insert:h})=>{let{selectionStart:y}=r.current;r.current.setSelectionRange(y-a.length,y),c(void 0),$o(h)},m=h=>{let{key:y,ctrlKey:$,altKey:v,metaKey:b}=h;if($&&y===" ")return h.preventDefault(),u(!0);if(!($||v||b)){if(a!==void 0){let{options:w,active:R}=a,X={ArrowDown:1,ArrowUp:w.length-1}[y];if(X!==void 0)return h.preventDefault(),c({...a,active:(R+X)%w.length});if(y==="Enter"||y==="Tab")return h.preventDefault(),d(w[R]);if(y==="Escape")return h.stopPropagation(),c(void 0)}y==="Enter"&&(h.preventDefault(),$o(`
${sa(r.current)}`))}},f=new Set(n.map(({line:h})=>h)),p=e.split(`
`).length;return l`
    <div class="yaml-editor">
      <div class="yaml-lines" ref=${i} aria-hidden="true">
        <pre>${Array.from({length:p},(h,y)=>y+1).join(`
`)}</pre>
        ${[...f].filter(Boolean).map(h=>l`
            <span key=${h} style=${{top:`${(h-1)*Bt}px`}}>${h}</span>
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
        onKeyDown=${m}
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
        ${a?.options.map((h,y)=>l`
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
  `}function $o(e){document.execCommand("insertText",!1,e)}function sa({value:e,selectionStart:t}){let n=e.slice(0,t).split(`
`).at(-1),[,s,o]=/^(\s*)((?:- )*)/.exec(n),r=s+" ".repeat(o.length);return/:\s*$/.test(n)?`${r}  `:r}function oa(e,{line:t,column:n=1}){let s=e.value.split(`
`),o=s.slice(0,t-1).reduce((r,{length:i})=>r+i+1,0);e.focus(),e.setSelectionRange(o+n-1,o+(s[t-1]??"").length),e.scrollTop=Math.max(0,(t-5)*Bt),e.scrollLeft=0}var ra=(e,t)=>e.join(`
`)===t.join(`
`);function B(e,t){return e.fields.find(n=>ra(n.path,t))}function bo(e,t){let n=t.join(".");return e.kept.some(s=>s===n||n.startsWith(`${s}.`))}function ia(e,t,n,s){let o=[...e.path,...t],r=n.trim();return r===""?{path:o,remove:!0}:{path:o,value:aa(r,s)}}function aa(e,t){return t.includes("boolean")&&/^(true|false)$/.test(e)?e==="true":(t.includes("number")||t.includes("integer"))&&/^\d+(\.\d+)?$/.test(e)?Number(e):e}function W({object:e,path:t,label:n,hint:s,types:o=[],options:r=[],isRequired:i,onEdit:a}){let c=N("form"),u=B(e,t),d=bo(e,t)||u?.items!==void 0,m=String(u?.value??""),[f,p]=g(void 0),y={id:c,onChange:async({target:$})=>{$.value.trim()===""&&(i||u===void 0)?$.value=m:$.value!==m&&await a([ia(e,t,$.value,[...o,typeof u?.value])]),p(void 0)},"aria-describedby":s||d?`${c}-hint`:void 0};return l`
    <div class="field">
      <label for=${c}>${n}</label>
      ${d&&l`<input id=${c} disabled aria-describedby=${`${c}-hint`} />`}
      ${!d&&r.length===0&&l`
        <input
          ...${y}
          value=${f??m}
          onInput=${({target:$})=>p($.value)}
          inputmode=${o.some($=>$==="number"||$==="integer")?"decimal":void 0}
          autocomplete="off"
          spellcheck=${!1}
        />
      `}
      ${!d&&r.length>0&&l`
        <select ...${y} value=${m}>
          ${!(i&&u)&&l`<option value="">not set</option>`}
          ${m!==""&&!r.includes(m)&&l`
            <option value=${m}>${m}</option>
          `}
          ${r.map($=>l`<option key=${$} value=${$}>${$}</option>`)}
        </select>
      `}
      ${(s||d)&&l`
        <span class="hint" id=${`${c}-hint`}>
          ${d?"Only the text can change it.":s}
        </span>
      `}
    </div>
  `}function la(e,t,n){let s=Array.from({length:e},(o,r)=>r);return n<0||n>=e||s.splice(n,0,...s.splice(t,1)),s}function ca(e,t){let[n,s]=g(void 0),o=(a,c)=>[...e.current.children].filter((u,d)=>{let{height:m,top:f}=u.getBoundingClientRect();return d!==a&&f+m/2<c}).length;return{handleOf:a=>({onPointerDown(c){c.button===0&&(c.currentTarget.setPointerCapture(c.pointerId),s({from:a,to:a}))},onPointerMove({clientY:c}){n?.from===a&&s({from:a,to:o(a,c)})},onPointerUp({clientY:c}){n?.from===a&&t(a,o(a,c)),s(void 0)},onPointerCancel:()=>s(void 0),onKeyDown(c){let u={ArrowUp:-1,ArrowDown:1}[c.key];if(c.key==="Escape"&&n!==void 0)s(void 0);else{if(u===void 0)return;t(a,a+u)}c.preventDefault()}}),classOf:a=>n===void 0?"":n.from===a?"dragged":n.to!==a?"":n.to<n.from?"drop-above":"drop-below"}}function dt({object:e,path:t,label:n,isOrdered:s,suggestions:o=[],onEdit:r,detailsOf:i,stepTextOf:a}){let c=N("list"),u=_(null),d=_(void 0),m=B(e,t),f=m?.items??(m===void 0?[]:[{name:String(m.value),is_text:!1}]),p=f.map((b,w)=>w),h=b=>{let w=[...e.path,...t];r([m===void 0?{path:w,value:b}:{path:w,items:b}])},y=(b,w,R="grip")=>{b===w||w<0||w>=f.length||(d.current=`[data-at="${w}"][data-control="${R}"]`,h(la(f.length,b,w)))},{handleOf:$,classOf:v}=ca(u,y);return Me(()=>{d.current!==void 0&&u.current?.querySelector(d.current)?.focus(),d.current=void 0},[f.map(({name:b})=>b).join(`
`)]),bo(e,t)?l`<p class="hint">${n}: only the text can change this list.</p>`:l`
    <div class="field" role="group" aria-labelledby=${c}>
      <span class="label" id=${c}>${n}</span>
      <ol class=${`config-chain${a?" graph":""}`} ref=${u}>
        ${f.map((b,w)=>l`
            <li
              key=${`${b.name} ${w}`}
              class=${v(w)}
              data-step=${w>0?a?.(b,w):void 0}
            >
              ${s&&f.length>1&&l`
                <${T}
                  icon="grip"
                  class="grip"
                  data-at=${w}
                  data-control="grip"
                  label=${`Move ${b.name}: drag, or up and down arrow keys`}
                  ...${$(w)}
                />
              `}
              <span class="mono"><${Qt} text=${b.name} /></span>
              ${b.is_text&&!(i&&b.fields)&&l`
                <span class="badge" title="Its other members stay as they are in the text">text</span>
              `}
              ${s&&[["up",-1],["down",1]].map(([R,X])=>l`
                  <${T}
                    key=${R}
                    icon=${R}
                    data-at=${w}
                    data-control=${R}
                    label=${`Move ${b.name} ${R}`}
                    disabled=${f[w+X]===void 0}
                    onClick=${()=>y(w,w+X,R)}
                  />
                `)}
              <${T}
                icon="close"
                label=${`Remove ${b.name}`}
                disabled=${f.length<2}
                onClick=${()=>h(p.filter(R=>R!==w))}
              />
              ${i?.(b,w)}
            </li>
          `)}
      </ol>
      <${ua}
        label=${n}
        suggestions=${o}
        onAdd=${b=>h([...p,b])}
      />
    </div>
  `}function ua({label:e,suggestions:t,onAdd:n}){let s=N("names"),[o,r]=g("");return l`
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
        ${t.map(a=>l`<option key=${a} value=${a} />`)}
      </datalist>
      <button type="submit" disabled=${o.trim()===""}><${I} name="add" /> Add</button>
    </form>
  `}function yo({section:e,object:t,objects:n,schema:s,onEdit:o,onRemove:r}){let i={object:t,schema:s,objects:n,onEdit:o},a={providers:ma,aliases:$a,server:ya,limits:va}[e],c=t.kept.filter(u=>u!=="");return l`
    <${a} ...${i} />
    ${t.kept.includes("")&&l`
      <p class="hint">It is written in a way that only the text can change.</p>
    `}
    ${c.length>0&&l`
      <p class="hint">These stay as they are in the text: <code>${c.join(", ")}</code></p>
    `}
    <div>
      <button type="button" class="quiet small" onClick=${r}>
        Remove from the text
      </button>
    </div>
  `}function Ht({object:e,schema:t,place:n,known:s,onEdit:o}){let r=N("setting"),[i,a]=g([]),c=new Map(po(t,n).map(p=>[p.path.join("."),p])),u=e.fields.filter(({path:p,items:h})=>p.length>0&&h===void 0&&!s.includes(p[0])).map(({path:p})=>p.join(".")),d=[...c.keys()].filter(p=>!s.includes(p.split(".")[0])&&!da(e,p)),m=[...u,...i.filter(p=>d.includes(p))],f=d.filter(p=>!i.includes(p));return l`
    ${m.map(p=>{let{path:h=p.split("."),types:y,options:$,hint:v}=c.get(p)??{};return l`
        <${W} key=${p} label=${p} ...${{object:e,path:h,types:y,options:$,hint:v,onEdit:o}} />
      `})}
    ${f.length>0&&l`
      <div class="field">
        <label for=${r}>More settings</label>
        <select
          id=${r}
          class="config-more"
          value=""
          onChange=${({target:p})=>{a([...i,p.value]),p.value=""}}
        >
          <option value="">Add a setting …</option>
          ${f.map(p=>l`<option key=${p} value=${p}>${p}</option>`)}
        </select>
      </div>
    `}
  `}function da({fields:e,kept:t},n){return[...e.map(({path:o})=>o.join(".")),...t].some(o=>o===n||o.startsWith(`${n}.`)||n.startsWith(`${o}.`))}var fa="A reference such as ${OPENAI_API_KEY}. A provider whose variable is not set is disabled.",pa=["kind","base_url","api_key","models"];function ma({object:e,schema:t,onEdit:n}){let s={object:e,onEdit:n},o=B(e,["kind"])?.value;return l`
    <${W} ...${s} path=${["kind"]} label="Kind" options=${Kt(t)} isRequired />
    <${W}
      ...${s}
      path=${["base_url"]}
      label="Base URL"
      hint="Empty: the default of its kind, if there is one"
    />
    <${W} ...${s} path=${["api_key"]} label="API key" hint=${fa} />
    <${dt} ...${s} path=${["models"]} label="Models" isOrdered />
    <${Ht}
      ...${{...s,schema:t,known:pa}}
      place=${{path:["providers",e.name],kind:o}}
    />
  `}var ha=["model","weight","when"];function $a({object:e,objects:t,schema:n,onEdit:s}){let o=e.fields.some(({path:h})=>h.length>0)||e.kept.some(h=>h!==""),r=o?["targets"]:[],i={path:["aliases",e.name]},a=B(e,r)?.items??[],c=B(e,["balance"])?.value??(a.some(h=>Wt(h,"weight")!==void 0)?"weighted":"in_order"),u=B(e,["hedge","after"])?.value,d=(h,y)=>(!h.is_text||h.fields?.every(({path:[$]})=>ha.includes($)))&&a.length>1&&l`
      <${ga}
        ...${{item:h,schema:n,onEdit:s}}
        path=${[...e.path,...r,y]}
      />
    `,m=(h,y)=>{if(c!=="in_order")return`or, by ${c}`;let $=Wt(h,"when");return`after ${$===void 0?"a failure":$.map(Ut).join(", ")}${u&&y===1?`; as a hedge after ${u}`:""}`},f=([{path:[,,...h],value:y}])=>s([{path:e.path,value:{targets:B(e,[])?.items?.map(({name:$})=>$)??[B(e,[]).value],...wo(h,y)}}]),p=o||a.every(({is_text:h})=>!h);return l`
    <${dt}
      ...${{object:e,path:r,onEdit:s,detailsOf:d,stepTextOf:m}}
      label="Targets, tried in this order"
      suggestions=${ko(t)}
      isOrdered
    />
    ${p&&l`
      <${Ht}
        ...${{object:e,schema:n,place:i,known:["targets"]}}
        onEdit=${o?s:f}
      />
    `}
  `}var wo=([e,...t],n)=>({[e]:t.length===0?n:wo(t,n)}),Ut=e=>e.replaceAll("_"," ");function Wt({fields:e=[]},t){let n=B({fields:e},[t]);return n?.items?.map(({name:s})=>s)??n?.value}function ga({item:e,path:t,schema:n,onEdit:s}){let{name:o,fields:r=[{path:["model"],value:o}]}=e,[i,a]=["weight","when"].map(p=>Wt(e,p)),c=mo(n,{path:["aliases","","targets","[]","when","[]"]}),u=e.fields===void 0,d=([{path:p,value:h}])=>s(u?[{path:t,value:{model:o,[p.at(-1)]:h}}]:[h===void 0?{path:p,remove:!0}:{path:p,value:h}]),m=(p,h)=>{let y=c.filter(v=>v===p?h:a?.includes(v)??!1),$=[...t,"when"];y.length===0?d([{path:$}]):a===void 0?d([{path:$,value:y}]):s([{path:$,items:y}])},f=[i!==void 0&&`weight ${i}`,a!==void 0&&`after ${a.map(Ut).join(", ")}`].filter(Boolean).join("; ");return l`
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
        ${c.map(p=>l`
            <label key=${p} class="row nowrap">
              <input
                type="checkbox"
                checked=${a?.includes(p)??!1}
                onChange=${({target:h})=>m(p,h.checked)}
              />
              ${Ut(p)}
            </label>
          `)}
      </fieldset>
      <p class="hint">None chosen: all failures except too long prompts and content filters</p>
    </details>
  `}var ba=["name","owner","team","note","key","models","budget","limits"];function ya({object:e,objects:t,schema:n,onEdit:s}){let o={object:e,onEdit:s},r=[["name","Name"],["owner","Owner"],["team","Team"],["note","Note"]],i=B(e,["budget","usd"])!==void 0,a=c=>{let u=[...e.path,"budget"];return c[0].remove?s([{path:u,remove:!0}]):s(i?c:[{path:u,value:{usd:c[0].value,per:"month"}}])};return l`
    <div class="config-pair">
      ${r.map(([c,u])=>l`
          <${W}
            key=${c}
            ...${o}
            path=${[c]}
            label=${u}
            isRequired=${c==="name"}
          />
        `)}
    </div>
    <${W} ...${o} path=${["key"]} label="Key" hint="A reference, or sha256:…"
      isRequired />
    <${dt}
      ...${o}
      path=${["models"]}
      label="Models that it may use; all if none is listed"
      suggestions=${ko(t)}
    />
    <div class="config-pair">
      <${W}
        object=${e}
        onEdit=${a}
        path=${["budget","usd"]}
        label="Budget in USD"
        types=${["number"]}
      />
      ${i&&l`
        <${W} ...${o} path=${["budget","per"]} label="Per" options=${wa} isRequired />
      `}
    </div>
    <${vo} ...${{object:e,schema:n,onEdit:s}} path=${["limits"]} />
    <${Ht}
      ...${{...o,schema:n,known:ba}}
      place=${{path:["server","keys","[]"]}}
    />
  `}var wa=["hour","day","week","month","total"];function va({object:e,schema:t,onEdit:n}){return l`<${vo} ...${{object:e,schema:t,onEdit:n}} path=${[]} />`}function vo({object:e,schema:t,path:n,onEdit:s}){let o=Object.entries(t?.properties?.limits?.properties??{}).filter(([r])=>r!=="models");return l`
    <div class="config-pair">
      ${o.map(([r,{description:i}])=>l`
          <${W}
            key=${r}
            ...${{object:e,onEdit:s}}
            path=${[...n,r]}
            label=${i.split(",")[0]}
            types=${["integer"]}
          />
        `)}
    </div>
  `}function Kt(e){return(e?.properties?.providers?.additionalProperties?.oneOf??[]).map(({properties:n})=>n.kind.const).sort()}function ko(e){let t=e.filter(({path:n})=>n[0]==="providers").flatMap(n=>(B(n,["models"])?.items??[]).flatMap(({name:s})=>[s,`${s}@${n.name}`]));return[...new Set(t)].sort()}var ka=400,ft=[{id:"providers",label:"Providers",one:"a provider"},{id:"aliases",label:"Aliases",one:"an alias"},{id:"server",label:"Keys",one:"a key"},{id:"limits",label:"Limits",one:"limits"}];function xo({text:e,schema:t,onEdit:n,onGo:s}){let{objects:o,error:r,isOld:i,apply:a}=Ca(e,n),[c,u]=g(ft[0]),[d,m]=g(void 0),f=N("object"),p=(o??[]).filter(({path:b})=>b[0]===c.id),h=p.find(({path:b})=>b.join(`
`)===d)??p[0],y=new Map(ft.map(({id:b})=>[b,(o??[]).filter(({path:w})=>w[0]===b).length])),$=b=>{u(ft.find(w=>w.id===b)),m(void 0)},v=d==="";return l`
    <section class="card padded stack config-forms" aria-labelledby="forms-title">
      <div class="row spread">
        <h2 id="forms-title">Forms</h2>
        <div role="status">${i&&!r&&l`<${M} text="Reading" />`}</div>
      </div>
      <${F}
        label="Section"
        value=${c.id}
        options=${ft.map(({id:b,label:w})=>[b,`${w} ${y.get(b)}`])}
        onChange=${$}
      />
      <${C} error=${r} title="The form cannot change the text" />
      ${o&&l`
        <div class="row nowrap">
          <div class="field config-object">
            <label for=${f}>Object</label>
            <select
              id=${f}
              value=${v?"":h?.path.join(`
`)}
              onChange=${({target:b})=>m(b.value)}
            >
              ${p.map(b=>l`
                  <option key=${b.path.join(`
`)} value=${b.path.join(`
`)}>
                    ${b.name===""?"Defaults of all keys":b.name}
                  </option>
                `)}
              <option value="">Add ${c.one} …</option>
            </select>
          </div>
          ${h&&!v&&l`
            <button type="button" class="link" onClick=${()=>s({line:h.first_line})}>
              ${h.first_line===h.last_line?`Line ${h.first_line}`:`Lines ${h.first_line}\u2013${h.last_line}`}
            </button>
          `}
        </div>
        ${h&&!v?l`
            <${yo}
              key=${h.path.join(`
`)}
              ...${{section:c.id,object:h,objects:o,schema:t}}
              onEdit=${a}
              onRemove=${()=>a([{path:h.path,remove:!0}])}
            />
          `:l`
            <${Aa}
              key=${c.id}
              ...${{section:c,listed:p,schema:t}}
              onAdd=${async b=>{await a([b])&&m(b.path.join(`
`))}}
            />
          `}
      `}
    </section>
  `}var xa="The text has changed this object meanwhile. The form shows it as it is now: make the change again";function Sa(e,t,n){let s=a=>a.findLast(c=>c.path.every((u,d)=>u===n[d])),[o,r]=[s(e),s(t)],i=({fields:a,kept:c,name:u})=>JSON.stringify([a,c,u]);return o===void 0||r===void 0?o===r:i(o)===i(r)}function Ca(e,t){let[n,s]=g({}),o=_(e);o.current=e;let r=(c,u,d)=>O("/v1/admin/config/form",{body:{text:c,edits:u},signal:d}),i=n.text!==e;return x(()=>{if(!i)return;let c=new AbortController,{signal:u}=c,d=setTimeout(()=>{r(e,[],u).then(({objects:m})=>u.aborted||s(f=>f.text===e?f:{text:e,objects:m}),m=>u.aborted||s(f=>({...f,text:e,error:m})))},n.text===void 0?0:ka);return()=>{clearTimeout(d),c.abort()}},[e]),{...n,isOld:i,apply:async c=>{try{for(;;){let u=o.current;if(u!==n.text){let{objects:m}=await r(u,[]);if(!Sa(n.objects,m,c[0].path))return s({text:u,objects:m,error:new Error(xa)}),!1}let d=await r(u,c);if(o.current===u)return s({text:d.text,objects:d.objects}),t(d.text),!0}}catch(u){return s(d=>({...d,error:u})),!1}}}}var _a={providers:["API key, such as ${OPENAI_API_KEY}",(e,t)=>({kind:t,...e!==""&&{api_key:e}})],aliases:["First target",e=>e],server:["Key, such as ${TEAM_KEY}",(e,t,n)=>({name:n,key:e})],limits:["Requests per minute",e=>({requests_per_minute:/^\d+$/.test(e)?Number(e):e})]};function Aa({section:e,listed:t,schema:n,onAdd:s}){let o=[N("new"),N("new"),N("new")],[r,i]=g(""),[a,c]=g("openai"),[u,d]=g(""),[m,f]=_a[e.id],p=e.id==="limits",h=t.some(b=>b.name===r.trim()),y=!h&&(r.trim()!==""||p)&&(e.id==="providers"||u.trim()!==""),$=b=>{b.preventDefault();let w={server:["server","keys",t.length],limits:r.trim()===""?["limits"]:["limits","models",r.trim()]}[e.id]??[e.id,r.trim()];y&&s({path:w,value:f(u.trim(),a,r.trim())})},v={autocomplete:"off",spellcheck:!1};return l`
    <form class="stack" onSubmit=${$}>
      <div class="field">
        <label for=${o[0]}>${p?"Model":"Name"}</label>
        <input
          ...${v}
          id=${o[0]}
          value=${r}
          onInput=${({target:b})=>i(b.value)}
        />
        ${p&&l`<span class="hint">Empty: the defaults of all keys</span>`}
        ${h&&l`<span class="fault">The text has it already.</span>`}
      </div>
      ${e.id==="providers"&&l`
        <div class="field">
          <label for=${o[1]}>Kind</label>
          <select id=${o[1]} value=${a} onChange=${({target:b})=>c(b.value)}>
            ${Kt(n).map(b=>l`<option key=${b} value=${b}>${b}</option>`)}
          </select>
        </div>
      `}
      <div class="field">
        <label for=${o[2]}>${m}</label>
        <input
          ...${v}
          id=${o[2]}
          value=${u}
          onInput=${({target:b})=>d(b.value)}
        />
      </div>
      <div><button type="submit" disabled=${!y}>Add to the text</button></div>
    </form>
  `}function So(){let{data:e,error:t}=D(o=>O("/v1/admin/providers",{signal:o}),[]),[n,s]=g(void 0);return l`
    <section class="card titled" aria-labelledby="tests-title">
      <h2 id="tests-title">Test a provider</h2>
      <${C} error=${t} title="The providers cannot be listed" />
      ${!e&&!t&&l`<${M} />`}
      ${e&&l`
        <${Ne} label="Providers">
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
      ${n&&l`<${Oa} id=${n} onClose=${()=>s(void 0)} />`}
    </section>
  `}function Oa({id:e,onClose:t}){let n=`/v1/admin/providers/${encodeURIComponent(e)}/test`,{data:s,error:o}=D(f=>O(n,{signal:f}),[e]),[r,i]=g(void 0),[a,c]=g(void 0),u=r??s?.models[0]?.id??"",d=s?.models.find(f=>f.id===u)?.max_cost_usd,m=async f=>{if(f.preventDefault(),a?.isBusy)return;let p=performance.now();c({isBusy:!0});try{let h=await ie(n,{body:{model:u}});c({headers:h.headers,answer:await h.json()})}catch(h){c({failure:h,ms:performance.now()-p})}};return l`
    <${G} title=${`Test ${e}`} onClose=${t} class="narrow">
      <form class="stack" onSubmit=${m}>
        <${C} error=${o} title="It cannot be tested" />
        ${!s&&!o&&l`<${M} />`}
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
            It sends <q>${s.prompt}</q> and asks for ${E(s.max_output_tokens)} token. Cost:
            ${" "}<strong>${d==null?"unknown, its price is not known":`at most ${H(d)}`}</strong>.
          </p>
        `}
        <div role="status" class="stack">
          ${a?.isBusy&&l`<${M} text="Waiting for the provider" />`}
          ${a?.answer&&l`<${Ea} ...${a} />`}
        </div>
        ${a?.failure&&l`
          <${C} error=${a.failure} title=${`Failed after ${L(a.ms)}`} />
        `}
        <div class="row end">
          <button type="button" onClick=${t}>Close</button>
          <button type="submit" class="primary" disabled=${u===""||a?.isBusy}>
            Send the test
          </button>
        </div>
      </form>
      <//>
  `}function Ea({answer:e,headers:t}){let n=t.get("x-sluice-cost-usd"),{usage:s}=e,o=[["Status","200"],["Latency",L(e.ms)],["Answer",e.answer===""?"no text":e.answer],["Tokens",s?`${E(s.prompt_tokens)} in, ${E(s.completion_tokens)} out`:"unknown"],["Cost",n===null?"unknown":H(Number(n))],["Attempts",t.get("x-sluice-attempts")??"1"]];return l`
    <p class="row"><span class="badge good">works</span> ${e.model} answered.</p>
    <${q} class="config-state" facts=${o} />
  `}function Co({config:e,base:t,text:n,onSaved:s,onReload:o,onClose:r}){let{data:i,error:a}=D(b=>O("/v1/admin/config/check",{body:{text:n},signal:b}),[n]),[c,u]=g({}),[d,m]=g(""),f=N("reason"),{isBusy:p,error:h}=c,y=h?.code==="config_changed",$=e.editable&&!p&&!y&&i?.valid&&n!==t;return l`
    <${G} title="Review the changes" onClose=${r} class="wide">
      <form class="stack wide" onSubmit=${async b=>{if(b.preventDefault(),!!$){u({isBusy:!0});try{let w={text:n,hash:e.hash,...d.trim()!==""&&{reason:d}};s(await O("/v1/admin/config",{body:w}))}catch(w){u({error:w})}}}}>
        <${C} error=${a} title="Not checked" />
        ${!i&&!a&&l`<${M} text="Checking" />`}
        ${i&&!i.valid&&l`<${ct} check=${i} onGo=${r} />`}
        ${i?.valid&&l`
          <section class="stack">
            <h3>Changes of the configuration in use</h3>
            <${ut} check=${i} />
          </section>
        `}
        <section class="stack">
          <h3>Lines of the file</h3>
          <${Dt} before=${t} after=${n} label="Lines that differ" />
        </section>
        ${e.editable&&l`
          <div class="field">
            <label for=${f}>Why</label>
            <input
              id=${f}
              value=${d}
              maxlength="200"
              autocomplete="off"
              aria-describedby=${`${f}-hint`}
              onInput=${({target:b})=>m(b.value)}
            />
            <span class="hint" id=${`${f}-hint`}>
              Optional. The history shows it with the name of your key.
            </span>
          </div>
        `}
        <${C} error=${h} title="Not saved" />
        ${!e.editable&&l`<p class="hint">${e.read_only_reason}</p>`}
        <div class="row end">
          <button type="button" onClick=${r}>Cancel</button>
          ${y&&l`
            <button type="button" onClick=${o}>Compare with the file as it is now</button>
          `}
          ${e.editable&&l`
            <button type="submit" class="primary" disabled=${!$}>Save and load</button>
          `}
        </div>
      </form>
      <//>
  `}function _o({version:e,base:t,onUse:n,onClose:s}){let o=`/v1/admin/config/versions/${encodeURIComponent(e.id)}`,{data:r,error:i}=D(a=>O(o,{signal:a}),[o]);return l`
    <${G} title=${`Until ${ge(e.replaced_at)}`} onClose=${s} class="wide">
      <div class="stack">
        <p class="soft wrap-anywhere">
          It was replaced by ${e.by}${e.reason&&`: \u201C${e.reason}\u201D`}. What it would
          change in the file:
        </p>
        <${C} error=${i} title="The text cannot be shown" />
        ${!r&&!i&&l`<${M} />`}
        ${r&&l`
          <${Dt} before=${t} after=${r.text} label="Lines that differ" />
        `}
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="button" class="primary" disabled=${!r} onClick=${()=>n(r.text)}>
            Put it into the editor
          </button>
        </div>
      </div>
      <//>
  `}var Ta=600,Oe;function Ao(){let{hasAdmin:e}=ae();return l`
    <div class="view" data-view="config">
      ${e?l`<${Ra} />`:l`
        <${Z} title="Config" />
        <${sn} what="The configuration needs an admin key." />
      `}
    </div>
  `}function Ra(){let{data:e,error:t,reload:n,setData:s}=D(o=>O("/v1/admin/config",{signal:o}),[]);return e?l`<${Ma} config=${e} onReload=${n} onConfig=${s} />`:l`
      <${Z} title="Config" />
      <${C} error=${t} title="The configuration cannot be shown" />
      ${!t&&l`<${M} text="Loading the configuration" />`}
    `}function Ma({config:e,onReload:t,onConfig:n}){let s=e.file_text??e.text,[o,r]=g(Oe??s),[i,a]=g(void 0),[c,u]=g(""),d=o!==s,m=p=>{Oe=p,r(p),u("")};x(()=>{d||(Oe=void 0);let p=h=>d&&h.preventDefault();return addEventListener("beforeunload",p),()=>removeEventListener("beforeunload",p)},[d]),x(()=>{Oe===void 0&&r(s)},[s]);let f=p=>{Oe=void 0,r(p.file_text??p.text),n(p),a(void 0),u(p.valid?"Saved and in use.":"Saved, but not in use.")};return l`
    <${Z} title="Config" note=${e.source}>
      <button type="button" onClick=${t} aria-keyshortcuts="Alt+Shift+R">
        <${I} name="retry" /> Refresh
      </button>
      <${j} text=${()=>o} label="Copy" class="" />
      <button type="button" onClick=${()=>on("config.yaml",o,"application/yaml")}>
        Download
      </button>
      <button type="button" disabled=${!d} onClick=${()=>m(s)}>Discard</button>
      <button
        type="button"
        class="primary"
        disabled=${!d}
        aria-keyshortcuts="Alt+Shift+S"
        onClick=${()=>a({type:"save"})}
      >${e.editable?"Review and save":"Review the changes"}</button>
    <//>
    <${Ia} config=${e} text=${o} onEdit=${m} />
    <p role="status" class=${c===""?"only-read":"row"}>
      ${c!==""&&l`<span class="badge good">saved</span> ${c}`}
    </p>
    <${Na} text=${o} loadedAt=${e.loaded_at} isEdited=${d} onEdit=${m} />
    <${ja} versions=${e.versions} onOpen=${p=>a({type:"version",version:p})} />
    <${So} />
    ${i?.type==="save"&&l`
      <${Co}
        ...${{config:e,base:s,text:o}}
        onSaved=${f}
        onReload=${()=>{t(),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
    ${i?.type==="version"&&l`
      <${_o}
        version=${i.version}
        base=${s}
        onUse=${p=>{m(p),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
  `}function Ia({config:e,text:t,onEdit:n}){let s=[["In use since",ge(e.loaded_at)],["File",e.valid?"in use":"not in use"],["Saving here",e.editable?"possible":"not possible"]];return l`
    <section class="card padded stack" aria-label="State">
      <${q} class="config-state" facts=${s} />
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
  `}function Na({text:e,loadedAt:t,isEdited:n,onEdit:s}){let{data:o}=D(d=>O("/v1/admin/config/schema",{signal:d}),[]),{check:r,error:i,isChecking:a}=La(e,t),[c,u]=g(void 0);return l`
    <div class="config-workbench">
      <div class="stack config-side">
        <section class="card padded stack" aria-labelledby="problems-title">
          <div class="row spread">
            <h2 id="problems-title">Problems</h2>
            <div role="status">${a&&l`<${M} text="Checking" />`}</div>
          </div>
          <${C} error=${i} title="Not checked" />
          ${r&&l`
            <${ct} check=${r} onGo=${d=>u({...d})} />
            ${r.unread.length>0&&l`
              <p class="hint">
                New references are read when the file is loaded: ${r.unread.join(", ")}
              </p>
            `}
          `}
        </section>
        <${xo}
          text=${e}
          schema=${o}
          onEdit=${s}
          onGo=${d=>u({...d})}
        />
        <section class="card titled" aria-labelledby="changes-title">
          <h2 id="changes-title">Changes</h2>
          <div class="config-change-list">
            ${r&&(n||r.changes.length>0)?l`<${ut} check=${r} />`:l`<p class="soft">None yet.</p>`}
          </div>
        </section>
      </div>
      <div class="stack config-text">
        <${go}
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
    </div>
  `}function La(e,t){let[n,s]=g({});return x(()=>{let o=new AbortController,{signal:r}=o;s(a=>({...a,isChecking:!0}));let i=setTimeout(()=>{O("/v1/admin/config/check",{body:{text:e},signal:r}).then(a=>r.aborted||s({check:a}),a=>r.aborted||s({error:a}))},Ta);return()=>{clearTimeout(i),o.abort()}},[e,t]),n}function ja({versions:e,onOpen:t}){return l`
    <section class="card padded stack" aria-labelledby="versions-title">
      <h2 id="versions-title">History</h2>
      ${e.length===0?l`<p class="soft">Nothing yet: a text that is replaced here is kept.</p>`:l`
          <ul class="config-versions">
            ${e.map(n=>l`
                <li key=${n.id}>
                  <button type="button" class="link" onClick=${()=>t(n)}>
                    ${ge(n.replaced_at)}
                  </button>
                  <span class="soft">replaced by ${n.by}</span>
                  ${n.reason&&l`<span class="wrap-anywhere">${n.reason}</span>`}
                </li>
              `)}
          </ul>
        `}
    </section>
  `}export{io as clients,Oo as config,oo as models,Ws as playground};
