import{A as Zt,B as Ie,C as en,I as tn,J as nn,a as le,b as Xt,e as P,f as ut,g as Q,h as Vt,j as Me,l as Yt,n as zt,s as Qt,w as $e}from"./shared2.js";import{D as C,E as D,F as E,G as N,H as X,I as q,J as Ht,K as T,L as j,M as O,N as z,O as M,P as H,Q as he,S as F,T as G,a as Re,aa as Kt,c as g,d as v,e as Pt,f as S,g as L,i as l,k as pe,l as me,m as Dt,o as qt,s as Ft,t as Bt,u as ae,v as A,va as Jt,w as Ut,wa as Gt,x as Wt,y as I}from"./shared1.js";var Ls={};Re(Ls,{default:()=>Ns});function Ne({id:e,root:t}){return e===t?"model":e.startsWith(`${t}@`)?"pinned":"alias"}function ge({context_window:e,max_output_tokens:t}){return[...e?[`${z(e)} context`]:[],...t?[`${z(t)} output`]:[]]}var $o=new Map([["images",[1,"image"]],["searches",[1e3,"1,000 searches"]],["characters",[1e6,"million characters"]],["seconds",[60,"minute"]]]);function Le({prices:e}){if(!e)return;let t=[...$o].filter(([o])=>e.units?.[o]!==void 0).map(([o,[r,i]])=>`$${Number((e.units[o]*r).toPrecision(3))} per ${i}`);return[...t.length===0||e.input>0||e.output>0?[`${F(e.input)} in, ${F(e.output)} out`]:[],...t].join(", ")}var go=new Map([["tools","tools"],["vision","images"],["json_schema","JSON schema"],["reasoning","reasoning"]]);function ce({capabilities:e}){return[...go].filter(([t])=>e?.[t]).map(([,t])=>t)}var bo=["images","speech","transcription","rerank","embeddings","moderation"];function dt({capabilities:e,dimensions:t}){return bo.find(s=>e?.[s]===!0)??(t===void 0?"chat":"embeddings")}var sn={kind:"number",min:-2,max:2,step:.1},ft=[{name:"temperature",kind:"number",min:0,max:2,step:.1,slider:2},{name:"max_tokens",kind:"integer",min:1,slider:8192},{name:"top_p",kind:"number",min:0,max:1,step:.05,slider:1},{name:"reasoning_effort",kind:"choice",options:["none","minimal","low","medium","high","xhigh","max"]},{name:"response_format",kind:"format",accepts:"object"},{name:"tool_choice",kind:"choice",options:["auto","none","required"]}],be=[{name:"max_completion_tokens",kind:"integer",min:1},{name:"stop",kind:"lines",hint:"One sequence per line"},{name:"seed",kind:"integer"},{name:"frequency_penalty",...sn},{name:"presence_penalty",...sn},{name:"logit_bias",kind:"json",accepts:"object",hint:"Token ID: -100 to 100"},{name:"verbosity",kind:"choice",options:["low","medium","high"]},{name:"parallel_tool_calls",kind:"boolean"},{name:"service_tier",kind:"choice",options:["auto","default","flex","priority"]},{name:"store",kind:"boolean"},{name:"user",kind:"text"},{name:"metadata",kind:"json",accepts:"object"},{name:"models",kind:"lines",hint:"Models to try after the first, one per line"},{name:"other",label:"other members",kind:"json",accepts:"object",hint:"Any further members of the body, such as top_k"},{name:"x-sluice-strict",kind:"boolean",hint:"Refuse the request if a parameter would be ignored"},{name:"x-sluice-deadline-ms",kind:"integer",min:1,max:999999999},{name:"x-sluice-tags",kind:"text",hint:"For usage reports, separated by commas"}],on=new Map([...ft,...be].map(e=>[e.name,e]));function pt(e){return on.get(e)}function ye(e,t){if(t.trim()==="")return{};switch(e.kind){case"number":case"integer":return yo(e,t.trim());case"boolean":return t==="true"||t==="false"?{value:t==="true"}:{error:"Must be true or false"};case"lines":return{value:t.split(`
`).filter(n=>n!=="")};case"format":case"json":return rn(e,t);default:return{value:t.trim()}}}function yo({kind:e,min:t,max:n},s){let r=/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(s)?Number(s):NaN;return Number.isFinite(r)&&(e==="number"||Number.isInteger(r))&&(t===void 0||r>=t)&&(n===void 0||r<=n)?e==="integer"&&!Number.isSafeInteger(r)?{error:"Must be between -2^53 and 2^53"}:{value:r}:{error:`Must be ${mt({kind:e,min:t,max:n})}`}}function mt({kind:e,min:t,max:n}){let s=e==="integer"?"a whole number":"a number";return t!==void 0&&n!==void 0?`${s} from ${t} to ${n}`:t!==void 0?`${s} of at least ${t}`:s}function rn({accepts:e},t){let n=me(t);if("error"in n)return n;let{value:s}=n;return(Array.isArray(s)?"list":s===null?"null":typeof s)===e?{value:s}:{error:`Must be ${e==="object"?"a JSON object":"a JSON list"}`}}function je(e){let t=new Map,n=new Map;for(let[s,o]of on){let r=ye(o,e[s]??"");"error"in r?n.set(s,r.error):"value"in r&&t.set(s,r.value)}return{values:t,errors:n}}function se(e){if(e.trim()==="")return{};let t=rn({accepts:"list"},e);if("error"in t)return t;for(let[n,s]of t.value.entries()){let o=wo(s);if(o!==void 0)return{error:`Tool ${n+1}: ${o}`}}return t.value.length===0?{}:t}function wo(e){if(!pe(e))return"must be an object";if(typeof e.type!="string")return`'type' is missing, such as "function"`;if(e.type!=="function")return;if(!pe(e.function))return"'function' is missing";let{name:t}=e.function;return typeof t=="string"&&t!==""?void 0:"'function.name' is missing"}var Z=new Map([["text",'{ "type": "text" }'],["json_object",'{ "type": "json_object" }'],["json_schema",JSON.stringify({type:"json_schema",json_schema:vo()},null,2)]]);function vo(){return{name:"city",strict:!0,schema:{type:"object",properties:{city:{type:"string"},country:{type:"string"}},required:["city","country"],additionalProperties:!1}}}function we(e){if(e.trim()==="")return"";let t=me(e).value?.type;return Z.has(t)?t:"json_schema"}var ue=JSON.stringify([{type:"function",function:{name:"get_weather",description:"The current weather of a city",parameters:{type:"object",properties:{city:{type:"string"},unit:{enum:["celsius","fahrenheit"]}},required:["city"]}}}],null,2);function an(e,t){let n=e.trim()===""?[]:[{role:"system",content:e}];for(let{user:s,steps:o}of t){n.push(ko(s));for(let r of o)n.push(...xo(r))}return n}function ko({text:e,images:t}){if(t.length===0)return{role:"user",content:e};let n=t.map(({url:s})=>({type:"image_url",image_url:{url:s}}));return{role:"user",content:e===""?n:[{type:"text",text:e},...n]}}function xo(e){let t=e.toMessage();if(t===void 0)return[];let n=(t.tool_calls??[]).map(({id:s})=>({role:"tool",tool_call_id:s,content:e.toolAnswers.get(s)??""}));return[t,...n]}var ln=["temperature","max_tokens","reasoning_effort"],So=["tool_choice","parallel_tool_calls"];function ht({system:e,parameters:t,tools:n,stream:s,streamUsage:o},{own:r={}}){let i={...t};for(let[a,c]of Object.entries(r.parameters??{}))c.trim()!==""&&(i[a]=c,a==="max_tokens"&&delete i.max_completion_tokens);if(r.tools===!1)for(let a of So)delete i[a];return{system:r.system??e,parameters:i,stream:s,streamUsage:o,tools:r.tools===!1?"":n}}function cn({own:e={}}){return[...e.system===void 0?[]:["own system message"],...Object.entries(e.parameters??{}).filter(([,t])=>t.trim()!=="").map(([t,n])=>`${t} ${n.trim()}`),...e.tools===!1?["no tools"]:[]]}function $t({parameters:e,tools:t,stream:n,streamUsage:s}){let{values:o,errors:r}=je(e),i={},a={},c=se(t);"error"in c&&r.set("tools",c.error),n&&(i.stream=!0,s&&(i.stream_options={include_usage:!0,include_cost:!0})),c.value!==void 0&&(i.tools=c.value);for(let[u,d]of o)u.startsWith("x-sluice-")?a[u]=String(d):u==="other"?Object.assign(i,d):i[u]=u==="tool_choice"?_o(d):d;return a["x-sluice-strict"]==="false"&&delete a["x-sluice-strict"],{members:i,headers:a,errors:r}}var Co=new Set(["auto","none","required"]);function _o(e){return Co.has(e)?e:{type:"function",function:{name:e}}}function un(e,t,n){return{model:e,messages:t,...n}}var De=class{#a;#s=[];#e=[];#t=[];#n=new Map;#i=new Map;finishReason=null;usage=null;model=null;hasReasoning=!1;constructor(t=()=>{}){this.#a=t}addChunk({model:t,choices:n,usage:s}){typeof t=="string"&&(this.model=t),s&&(this.usage=s);let o=Array.isArray(n)?n.find(({index:r})=>!r):void 0;o!==void 0&&(this.#c(o.delta??{}),o.finish_reason&&(this.finishReason=o.finish_reason))}addCompletion({model:t,choices:n,usage:s}){let[o]=Array.isArray(n)?n:[];this.addChunk({model:t,usage:s,choices:[{...o,index:0,delta:o?.message}]})}#c({content:t,reasoning_content:n,reasoning_details:s,refusal:o,tool_calls:r}){this.#l("reasoning",this.#e,n),this.#l("content",this.#s,t),this.#l("refusal",this.#t,o),Array.isArray(r)&&r.forEach((i,a)=>this.#r(i,i.index??a)),Array.isArray(s)&&s.forEach((i,a)=>this.#o(i,i.index??a))}#l(t,n,s){typeof s!="string"||s===""||(t==="reasoning"&&(this.hasReasoning=!0),n.push(s),this.#a(t,s))}#r({index:t,id:n,type:s,function:o,custom:r,...i},a){let c=this.#n.get(a);c===void 0&&(c={id:"",type:"function",name:"",input:[],others:{}},this.#n.set(a,c)),n&&(c.id=n),s&&(c.type=s);let u=o??r??{};u.name&&(c.name=u.name);let d=u.arguments??u.input;typeof d=="string"&&d!==""&&c.input.push(d),this.#a("call",d??""),Object.assign(c.others,i)}#o({index:t,...n},s){let o=this.#i.get(s);if(o===void 0){this.#i.set(s,{...n});return}for(let[r,i]of Object.entries(n)){let a=(r==="text"||r==="summary")&&typeof o[r]=="string";o[r]=a&&typeof i=="string"?o[r]+i:i}}get content(){return Pe(this.#s)}get reasoning(){return Pe(this.#e)}get refusal(){return Pe(this.#t)}get toolCalls(){return[...this.#n.values()].map(({id:t,type:n,name:s,input:o,others:r})=>{let i=Pe(o);return n==="custom"?{id:t,type:n,custom:{name:s,input:i},...r}:{id:t,type:n,function:{name:s,arguments:i},...r}})}toMessage(){let{content:t,refusal:n,toolCalls:s}=this;if(t===""&&n===""&&s.length===0)return;let o=[...this.#i.values()];return{role:"assistant",content:t===""?null:t,...n!==""&&{refusal:n},...s.length>0&&{tool_calls:s},...o.length>0&&{reasoning_details:o}}}};function Pe(e){return e.length>1&&e.splice(0,e.length,e.join("")),e[0]??""}function ve(e){let t=n=>{let s=e.get(n);return s===null||s===""?null:Number(s)};return{requestId:e.get("x-request-id"),provider:e.get("x-sluice-provider"),model:e.get("x-sluice-model"),attempts:t("x-sluice-attempts"),overheadMs:t("x-sluice-overhead-ms"),cost:t("x-sluice-cost-usd"),upstreamRequestId:e.get("x-sluice-upstream-request-id"),cache:e.get("x-sluice-cache"),ignored:dn(e.get("x-sluice-ignored")),converted:dn(e.get("x-sluice-converted"))}}function dn(e){return e===null?[]:e.split(", ").filter(t=>t!==""&&!/^and \d+ more$/.test(t))}function gt({ignored:e,converted:t}){let n=e.map(o=>({parameter:o,fate:"ignored"})),s=t.map(o=>{let r=o.indexOf(" "),i=o.indexOf("->");return r!==-1&&r<i?{parameter:o.slice(0,r),fate:"converted",change:o.slice(r+1)}:i===-1?{parameter:o,fate:"converted"}:{parameter:o.slice(0,i),fate:"renamed",to:o.slice(i+2)}});return[...n,...s]}function mn(e,t){if(t===null)return e;let n=new Map(gt(t).map(o=>[o.parameter,o]));return[...e.map(o=>{let r=n.get(o.parameter);return n.delete(o.parameter),o.fate==="as is"&&r!==void 0?{...r,rule:Ao}:o}),...n.values()]}var Ao="the vendor refused it as it was",fn=["ignored","converted","renamed","added","as is"];function hn(e){return e.toSorted((t,n)=>fn.indexOf(t.fate)-fn.indexOf(n.fate))}function $n({targets:e},t){let n=e.findIndex(({provider:s,model:o})=>s===t?.provider&&o===t?.model);return Math.max(0,n)}function gn({target:e,attempts:t,state:n,headers:s}){if(n==="preview")return"";if(s?.cache==="hit")return"answered by the response cache";if(e===null)return"";let o=`${e.provider} / ${e.model}`;return n==="failed"?t>1?`failed at ${o} after ${t} attempts`:`failed at ${o}`:t>1?`answered by ${o} after ${t} attempts`:`answered by ${o}`}var pn=400;function bn(e){return JSON.stringify(e,(t,n)=>typeof n=="string"&&n.length>pn?`${n.slice(0,pn/2)}\u2026 (${n.length} characters)`:n,2)??""}var yn="/v1/chat/completions",Oo=[60,200,500,1e3,2e3,4e3,8e3],Eo=50;function bt(){let e=crypto.getRandomValues(new Uint8Array(12));return`req_${Array.from(e,t=>t.toString(16).padStart(2,"0")).join("")}`}var To=0,ee=class{id=++To;state="waiting";error=null;headers=null;explanation=null;explanationError=null;record=null;isRestored=!1;toolAnswers=new Map;requestId=bt();startedAt=performance.now();firstTextAt=null;endedAt=null;version=0;#a=new Set;#s=new Set;#e=new AbortController;#t=!1;constructor(t){this.request=t,this.fold=new De((n,s)=>this.#c(n,s))}async start(){let{body:t,headers:n}=this.request;try{let s=await ae(yn,{body:t,headers:{...n,"x-request-id":this.requestId},signal:this.#e.signal});this.#l(s.headers),await this.#n(s),this.#r("done")}catch(s){s.headers?.has("x-request-id")&&this.#l(s.headers),this.#e.signal.aborted||(this.error=s),this.#r(this.#e.signal.aborted?"stopped":"failed")}await this.#i()}async explain(){if(this.#t||this.isRestored)return;this.#t=!0;let{body:t,headers:n}=this.request;try{let s={...n,"x-sluice-explain":"true"};this.explanation=await A(yn,{body:t,headers:s})}catch(s){this.explanationError=s}this.#o()}stop(){this.isOpen&&this.#e.abort()}get isOpen(){return this.state==="waiting"||this.state==="streaming"}toMessage(){return this.fold.toMessage()}async#n(t){let{fold:n}=this;if(!(t.headers.get("content-type")??"").startsWith("text/event-stream")){n.addCompletion(await t.json());return}let s=!1;if(await Kt(t,({data:o})=>{if(o==="[DONE]"){s=!0;return}let r=JSON.parse(o),i=Ut(r,{requestId:t.headers.get("x-request-id"),headers:t.headers});if(i!==void 0)throw i;n.addChunk(r)}),!s)throw new Error("The stream ended before the answer was complete")}async#i(){for(let t of Oo){await new Promise(n=>setTimeout(n,t));try{this.record=await A(`/v1/requests/${this.requestId}`);break}catch(n){if(n.status!==404)break}}this.#o()}#c(t,n){this.firstTextAt===null&&(this.firstTextAt=performance.now(),this.state="streaming",this.#o());for(let s of this.#s)s(t,n)}#l(t){this.headers=ve(t),this.#o()}#r(t){this.endedAt=performance.now(),this.state=t,this.#o()}answerTool(t,n){this.toolAnswers.set(t,n),this.#o()}onChange(t){return this.#a.add(t),()=>this.#a.delete(t)}onText(t){return this.#s.add(t),()=>this.#s.delete(t)}#o(){this.version++;for(let t of this.#a)t()}get timing(){let{startedAt:t,firstTextAt:n,endedAt:s}=this,o=this.request.body.stream===!0,r=s===null?null:s-t,i=this.fold.usage?.completion_tokens,a=s===null||n===null?0:s-n,c=o&&i>0&&a>=Eo?i/(a/1e3):null;return{first:o&&n!==null?n-t:null,total:r,speed:c}}get target(){let{headers:t,record:n}=this;return t?.provider?{provider:t.provider,model:t.model??""}:n?.provider?{provider:n.provider,model:n.upstream??""}:null}get attempts(){return this.headers?.attempts??this.record?.attempt_count??null}get cost(){let t=this.fold.usage?.cost??this.headers?.cost??this.record?.cost_usd??null;return typeof t=="number"?t:null}};var B=new Map([["images",{title:"Image",path:"/v1/images/generations",verb:"Create",fields:[{name:"prompt",kind:"long",isRequired:!0,placeholder:"What the image shows"},{name:"size",kind:"text",hint:"Such as 1024x1024"},{name:"quality",kind:"text",hint:"Such as low, medium or high"},{name:"n",kind:"integer",min:1,max:10}]}],["speech",{title:"Speech",path:"/v1/audio/speech",verb:"Speak",fields:[{name:"input",kind:"long",isRequired:!0,placeholder:"The text to speak"},{name:"voice",kind:"text",isRequired:!0},{name:"instructions",kind:"text"},{name:"speed",kind:"number",min:.25,max:4,step:.25},{name:"response_format",kind:"choice",options:["mp3","wav","opus","aac","flac"]}]}],["transcription",{title:"Transcription",path:"/v1/audio/transcriptions",verb:"Transcribe",takesFile:!0,fields:[{name:"language",kind:"text",hint:"Such as en"},{name:"prompt",kind:"text",hint:"Names and words that occur"},{name:"temperature",kind:"number",min:0,max:1,step:.1}]}],["rerank",{title:"Rerank",path:"/v1/rerank",verb:"Rank",fields:[{name:"query",kind:"long",isRequired:!0,placeholder:"What is looked for"},{name:"documents",kind:"lines",isRequired:!0,hint:"One document per line",placeholder:"The texts to rank"},{name:"top_n",kind:"integer",min:1}]}]]);function wn(e){return e==="speech"?{voice:"alloy"}:{}}function qe(e,{model:t,texts:n,file:s}){let{fields:o,takesFile:r}=B.get(e),i={model:t},a=new Map;t.trim()===""&&a.set("model","Choose a model"),r&&s===null&&a.set("file","Choose a file");for(let c of o){let{name:u,isRequired:d}=c,p=ye(c,n[u]??"");"error"in p?a.set(u,p.error):"value"in p?i[u]=p.value:d&&a.set(u,"Must not be empty")}return{body:i,errors:a}}function vn(e,t){let n=new FormData;for(let[s,o]of Object.entries(e))n.append(s,String(o));return n.append("file",t),n}function kn({results:e=[]},t){return e.map(({index:n,relevance_score:s})=>({index:n,score:s,text:t[n]??""}))}var Ro=[["/9j/","image/jpeg"],["UklGR","image/webp"],["R0lGOD","image/gif"]];function xn({data:e=[]}){return e.map(({b64_json:t,url:n,revised_prompt:s})=>{if(typeof t!="string")return{url:String(n),isData:!1,prompt:s};let[,o]=Ro.find(([r])=>t.startsWith(r))??["","image/png"];return{url:`data:${o};base64,${t}`,isData:!0,prompt:s}})}var Fe=4,Mo=0;function oe(){return++Mo}function Sn(){return{columns:[{id:oe(),model:""}],kind:"chat",media:Object.fromEntries([...B.keys()].map(e=>[e,{model:"",texts:wn(e),file:null,run:null}])),system:"",turns:[],draft:{text:"",images:[]},parameters:{},tools:"",stream:!0,streamUsage:!0,selected:null,panel:"chat"}}var K=Sn(),de=new Set;function _(){return K}function Cn(e){return de.add(e),()=>de.delete(e)}function k(e){K={...K,...typeof e=="function"?e(K):e};for(let t of de)t()}function J(e,t){k(({media:n})=>({media:{...n,[e]:{...n[e],...t}}}))}function _n(){let{media:e}=K;for(let t of[...re(K),...Object.values(e).map(({run:n})=>n)])t?.stop();K=Sn();for(let t of de)t()}function re({turns:e}){return e.flatMap(({runs:t})=>[...t.values()].flat())}function Be(){let[,e]=g(K);return v(()=>{let t=()=>e(K);return de.add(t),t(),()=>de.delete(t)},[]),K}function Ue(e){let[,t]=g(e.version);return v(()=>{let n=()=>t(e.version),s=e.onChange(n);return n(),s},[e]),e}function An(e){let t=()=>e.map(({version:s})=>s).join(),[,n]=g(t);v(()=>{let s=()=>n(t()),o=e.map(r=>r.onChange(s));return s(),()=>o.forEach(r=>r())},[e.map(({id:s})=>s).join()])}function Io(e,t){return e.map(({user:n,runs:s})=>({user:n,steps:s.get(t)??[]}))}function We(e,t){let n=ht(_(),e),{members:s,headers:o,errors:r}=$t(n);if(r.size>0){let[[a,c]]=r;throw new RangeError(`${a}: ${c}`)}let i=an(n.system,Io(t,e.id));return{model:e.model,body:un(e.model,i,s),headers:o}}function He(e){if(e.columns.some(({model:t})=>t.trim()===""))return"Choose a model";for(let t of e.columns){let{errors:n}=$t(ht(e,t));if(n.size>0)return`Correct '${[...n.keys()][0]}' in the parameters`}if(ke(e))return"An answer is being written"}function ke(e){return re(e).some(t=>t.isOpen)}function Ke(){let{draft:e,turns:t}=_();if(e.text===""&&e.images.length===0)return;let n={id:oe(),user:e,runs:new Map};k({draft:{text:"",images:[]},turns:[...t,n]}),Je(n.id)}function Je(e){let{columns:t,turns:n}=_(),s=n.findIndex(a=>a.id===e),o=n.slice(0,s),r={...n[s],runs:new Map},i=t.map(a=>new ee(We(a,[...o,r])));t.forEach((a,c)=>r.runs.set(a.id,[i[c]])),k({turns:[...o,r],selected:i[0]});for(let a of i)Rn(a)}function On(e,t){Tn(e,t,n=>n)}function En(e,t){Tn(e,t,n=>n.slice(0,-1))}function Tn(e,t,n){let{columns:s,turns:o}=_(),r=s.find(({id:d})=>d===t),i=o.findIndex(({id:d})=>d===e),a=n(o[i].runs.get(t)??[]),c={...o[i],runs:new Map([[t,a]])},u=new ee(We(r,[...o.slice(0,i),c]));Pn(e,t,[...a,u]),k({selected:u}),Rn(u)}function Rn(e){e.start().catch(n=>reportError(n));let t=e.onChange(()=>{e.isOpen||(t(),k({}))})}function yt(){let e=new ee(vt());e.state="preview",wt(e)}function wt(e){k({selected:e,panel:"receipt"})}function Mn(e){let{columns:t,turns:n}=_();if(t.length>=Fe)return;let[s]=t,o=new Set(t.map(({model:i})=>i)),r={id:oe(),model:e.find(({id:i})=>!o.has(i))?.id??s.model};k({columns:[...t,r],turns:n.map(i=>{let a=i.runs.get(s.id)??[];return{...i,runs:new Map(i.runs).set(r.id,a)}})})}function vt(e){let{columns:t,draft:n,turns:s}=_(),o=t.find(({id:c})=>c===e)??t[0],r=n.text===""&&n.images.length===0,i=s.at(-1)?.runs.get(o.id)??[],a=i.at(-1);if(r&&a!==void 0&&!a.isRestored)return a.request;if(r&&a!==void 0){let c=new Map([[o.id,i.slice(0,-1)]]);return We(o,[...s.slice(0,-1),{...s.at(-1),runs:c}])}return We(o,[...s,{user:n,runs:new Map}])}function Xe(){for(let e of re(_()))e.stop()}function In(e,t){Dn(e,n=>({...n,user:t}))}function Nn(e){let{turns:t}=_();re({turns:t.filter(n=>n.id===e)}).forEach(n=>n.stop()),k({turns:t.filter(n=>n.id!==e)})}function Ln(e,t,n){n.stop();let{runs:s}=_().turns.find(({id:o})=>o===e);Pn(e,t,(s.get(t)??[]).filter(o=>o!==n))}function jn(){Xe(),k({turns:[],selected:null})}function Pn(e,t,n){Dn(e,s=>({...s,runs:new Map(s.runs).set(t,n)}))}function Dn(e,t){k(({turns:n})=>({turns:n.map(s=>s.id===e?t(s):s)}))}var kt=["image/png","image/jpeg","image/webp","image/gif"],qn=1e7,Fn=2e7;function No({name:e,type:t,size:n},s){if(!kt.includes(t))return`'${e}' is ${t||"of an unknown type"}: use PNG, JPEG, WebP or GIF`;if(n>qn)return`'${e}' is ${G(n)}: the limit of an image is ${G(qn)}`;if(s+n>Fn)return`'${e}' is too much: the limit of a message's images is ${G(Fn)}`}var Bn=12,Lo=[["image/png",/^\x89PNG\r\n/],["image/jpeg",/^\xff\xd8\xff/],["image/gif",/^GIF8[79]a/],["image/webp",/^RIFF[^]{4}WEBP/]];function jo(e){let t=String.fromCharCode(...e.subarray(0,Bn));return Lo.find(([,n])=>n.test(t))?.[0]}async function Un(e,t){let n=t.reduce((r,{size:i})=>r+i,0),s=[],o=[];for(let r of e){let i=No(r,n);if(i!==void 0){o.push(i);continue}n+=r.size;try{let a=new Uint8Array(await r.slice(0,Bn).arrayBuffer()),c=jo(a);if(c===void 0){o.push(`'${r.name}' is not an image: its content is none of PNG, JPEG, WebP and GIF`),n-=r.size;continue}let u=r.type===c?r:new Blob([r],{type:c});s.push({name:r.name||"image",size:r.size,url:await Po(u)})}catch{o.push(`'${r.name}' cannot be read`)}}return{images:s,faults:o}}function Po(e){let{promise:t,resolve:n,reject:s}=Promise.withResolvers(),o=new FileReader;return o.onload=()=>n(o.result),o.onerror=()=>s(o.error),o.readAsDataURL(e),t}function Ge({message:e,onChange:t,label:n,placeholder:s,inputRef:o,children:r}){let i=S(null),a=S(e);a.current=e;let[c,u]=g([]),[d,p]=g(!1);v(()=>u($=>$.length===0?$:[]),[e.images.length,e.text===""]);let f=async $=>{let w=await Un($,a.current.images);if(w.images.length>0){let{text:y,images:R}=a.current;t({text:y,images:[...R,...w.images]})}setTimeout(()=>u(w.faults))},m=$=>{let w=[...$.clipboardData?.files??[]];w.length!==0&&($.preventDefault(),f(w))};return l`
    <div
      class=${`editor ${d?"over":""}`}
      onDrop=${$=>{p(!1);let w=[...$.dataTransfer?.files??[]];w.length!==0&&($.preventDefault(),f(w))}}
      onDragOver=${$=>{[...$.dataTransfer?.types??[]].includes("Files")&&($.preventDefault(),p(!0))}}
      onDragLeave=${()=>p(!1)}
    >
      <${xt}
        images=${e.images}
        onRemove=${$=>t({...e,images:e.images.filter(w=>w!==$)})}
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
          accept=${kt.join(",")}
          onChange=${async $=>{await f([...$.target.files]),$.target.value=""}}
        />
        <${E}
          icon="image"
          label="Add images (or paste, or drop them here)"
          onClick=${()=>i.current.click()}
        />
        ${r}
      </div>
      ${d&&l`<div class="drop-note"><${I} name="image" />Drop images here</div>`}
    </div>
  `}function xt({images:e,onRemove:t}){return e.length===0?null:l`
    <ul class="thumbnails" aria-label="Images">
      ${e.map((n,s)=>l`
          <li key=${s}>
          ${n.url.startsWith("data:image/")?l`<img src=${n.url} alt=${n.name} title=${`${n.name}, ${G(n.size)}`} />`:l`<span class="mono small wrap-anywhere">${n.url}</span>`}
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
  `}function Wn({state:e}){let t=S(null),[n,s]=g(""),{columns:o,draft:r}=e,i=ke(e),a=He(e),c=r.text===""&&r.images.length===0,u=f=>{s("");try{f()}catch(m){s(m.message)}},d=()=>{if(a!==void 0)return i||s(a);u(Ke),t.current?.focus()},p=S(null);return p.current=f=>{f.key==="Escape"&&document.querySelector("dialog[open]")===null&&Xe(),!(f.key!=="Enter"||!(f.ctrlKey||f.metaKey))&&(f.defaultPrevented||(f.preventDefault(),f.shiftKey?u(yt):d()))},v(()=>{let f=m=>p.current(m);return addEventListener("keydown",f),()=>removeEventListener("keydown",f)},[]),l`
    <div class="composer">
      <${Ge}
        message=${r}
        onChange=${f=>k({draft:f})}
        label="Message"
        placeholder=${o.length===1?"Message":`Message to all ${o.length} models`}
        inputRef=${t}
      >
        <${Do} state=${e} />
        <span class="grow"></span>
        <button type="button" class="quiet" title="Show what would be sent, without sending it (Ctrl Shift Enter)"
          onClick=${()=>u(yt)}>Preview</button>
        ${i?l`<button type="button" class="danger" onClick=${Xe}>
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
          <${E} icon="close" class="small" label="Close" onClick=${()=>s("")} />
        </div>
      `}
    </div>
  `}function Do({state:{parameters:e,tools:t}}){let n=se(t).value?.length??0,s=e.response_format??"",o=(a,c)=>{k({panel:"settings",...a}),requestAnimationFrame(()=>document.querySelector(c)?.focus())},r=()=>o(t===""?{tools:ue}:{},"#tools"),i=()=>{let a=Z.get("json_schema"),c=we(s)==="json_schema";o(c?{}:{parameters:{...e,response_format:a}},"[aria-label='response_format as JSON']")};return l`
    <button type="button" class="quiet" onClick=${r}>Tools${n>0?` ${n}`:""}</button>
    <button type="button" class="quiet phone-hidden" onClick=${i}>JSON schema</button>
  `}var qo=[{title:"Ask a question",about:"A first answer, streamed",text:"What does a model gateway do? Answer in two sentences."},{title:"Call a tool",about:"The model asks for a function; you answer in its place",text:"What is the weather in Reykjavik? Use get_weather.",tools:ue},{title:"Fill a JSON schema",about:"An answer that fits response_format",text:"Describe Lisbon.",parameters:{response_format:Z.get("json_schema")}},{title:"See what is ignored",about:"Parameters that a vendor does not support stay visible in the receipt",text:"Say hello.",parameters:{temperature:"0.7",seed:"42",logit_bias:'{ "50256": -100 }'}},{title:"Strict mode",about:"Nothing is dropped: the request is refused with its reason",text:"Say hello.",parameters:{seed:"42","x-sluice-strict":"true"}}];function Hn(){return l`
    <div class="start">
      <h2>Try a model</h2>
      <p class="soft">
        Write a message below, or start with one of these. The receipt shows how the gateway handled each
        request.
      </p>
      <ul class="example-list">
        ${qo.map(e=>l`
            <li key=${e.title}>
              <button type="button" onClick=${()=>Fo(e)}>
                <strong>${e.title}</strong>
                <span class="soft small">${e.about}</span>
              </button>
            </li>
          `)}
      </ul>
    </div>
  `}function Fo({text:e,tools:t="",parameters:n={}}){k({parameters:n,tools:t,draft:{text:e,images:[]}}),He(_())===void 0&&Ke()}var Ve=class{#a;#s;#e=[];#t=0;#n=0;constructor(t,n=()=>{}){this.#a=t,this.#s=n}get isIdle(){return this.#n===0}add(t){for(let n=0;n<t.length;n+=4e3)this.#e.push(t.slice(n,n+4e3));this.#n===0&&(this.#n=requestAnimationFrame(()=>this.#i()))}stop(){cancelAnimationFrame(this.#n),this.#n=0,this.#e=[],this.#t=0}#i(){let t="";for(;this.#t<this.#e.length&&t.length<4e3;)t+=this.#e[this.#t++];if(t!==""&&this.#a(t),this.#t<this.#e.length){this.#n=requestAnimationFrame(()=>this.#i());return}this.#e=[],this.#t=0,this.#n=0,this.#s()}};var Bo=/^(?:https?:\/\/|mailto:)[^\s<>"]+$/i,St=/[`*_[\\$]|~~|https?:\/\//g,Kn=/[\p{L}\p{N}]/u;function te(e,t){let n=new Set,s=(i,a)=>{if(n.has(i))return-1;let c=t.indexOf(i,a);return c===-1&&n.add(i),c},o=0,r=i=>{i>o&&e.append(t.slice(o,i))};for(St.lastIndex=0;;){let i=St.exec(t);if(i===null)break;let a=i.index,c=Uo(t,a,i[0],s);c!==void 0&&(r(a),e.append(c.node),o=c.end,St.lastIndex=c.end)}r(t.length)}function Uo(e,t,n,s){switch(n){case"\\":return e[t+1]==="("||e[t+1]==="["?Jn(e,t,s):/[\\`*_[\]#$~]/.test(e[t+1]??"")?{node:document.createTextNode(e[t+1]),end:t+2}:void 0;case"`":return Wo(e,t,s);case"*":case"_":return Ho(e,t,n,s);case"~~":return Ko(e,t,s);case"$":return Jn(e,t,s);case"[":return Xo(e,t,s);default:return Go(e,t)}}function Wo(e,t,n){let s=e[t+1]==="`"?"``":"`",o=n(s,t+s.length);if(!(o<=t+s.length))return{node:xe("code",e.slice(t+s.length,o).trim()),end:o+s.length}}function Ho(e,t,n,s){let o=e[t+1]===n,r=o?n+n:n,i=t+r.length;if(/\s/.test(e[i]??" ")||n==="_"&&Kn.test(e[t-1]??""))return;let a=s(r,i+1);if(a===-1||/\s/.test(e[a-1])||n==="_"&&Kn.test(e[a+r.length]??""))return;let c=e.slice(i,a);if(!c.includes(`

`))return{node:xe(o?"strong":"em",c),end:a+r.length}}function Ko(e,t,n){if(/\s/.test(e[t+2]??" "))return;let s=n("~~",t+3);if(!(s===-1||/\s/.test(e[s-1])))return{node:xe("s",e.slice(t+2,s)),end:s+2}}var Jo=[["$$","$$"],["$","$"],["\\(","\\)"],["\\[","\\]"]];function Jn(e,t,n){let[s,o]=Jo.find(([c])=>e.startsWith(c,t)),r=t+s.length;if(s==="$"&&/[\s\d]/.test(e[r]??" "))return;let i=n(o,r+1);if(i===-1||s==="$"&&/\s/.test(e[i-1]))return;let a=xe("code",e.slice(r,i).trim());return a.className="formula",{node:a,end:i+o.length}}function Xo(e,t,n){let s=n("](",t+1);if(s===-1)return;let o=n(")",s+2);if(o===-1)return;let r=e.slice(t+1,s),i=e.slice(s+2,o);if(!(r===""||r.includes("[")||!Bo.test(i)))return{node:Gn(r,i),end:o+1}}var Xn=/https?:\/\/[^\s<>"'`)\]]+/y;function Go(e,t){Xn.lastIndex=t;let n=Xn.exec(e)?.[0].replace(/[.,;:!?*_]{1,9}$/,"");if(!(n===void 0||!URL.canParse(n)))return{node:Gn(n,n),end:t+n.length}}function Gn(e,t){let n=xe("a",e);return n.href=t,n.target="_blank",n.rel="noopener noreferrer",n}function xe(e,t){let n=document.createElement(e);return n.textContent=t,n}var Vo=/^[\s|:-]+$/;function Yn(e){let[t,n,...s]=e;if(n===void 0||!Vo.test(n)){let c=document.createElement("p");return e.forEach((u,d)=>{d>0&&c.append(`
`),te(c,u)}),c}let o=document.createElement("table"),r=zn(n).map(Yo);o.createTHead().append(Vn(t,"th",r));let i=o.createTBody();for(let c of s)i.append(Vn(c,"td",r));let a=document.createElement("div");return a.className="table-scroll",a.append(o),a}function zn(e){return e.trim().slice(1,-1).split("|").map(t=>t.trim())}function Yo(e){let t=e.endsWith(":");return e.startsWith(":")?t?"center":"left":t?"right":""}function Vn(e,t,n){let s=document.createElement("tr");return zn(e).forEach((o,r)=>{let i=document.createElement(t);i.dir="auto",i.style.textAlign=n[r]??"",te(i,o),s.append(i)}),s}function Qn(e){let t=document.createElement("input");return t.type="checkbox",t.disabled=!0,t.checked=e,t.setAttribute("aria-label",e?"Done":"To do"),t}function Zn(e){let t=document.createElement("button");return t.type="button",t.className="quiet small copy-code",t.textContent="Copy",t.addEventListener("click",async()=>{let n=[...e.querySelectorAll("pre")].map(s=>s.textContent).join("");t.textContent=await Wt(n)?"Copied":"Cannot copy"}),t}var Ye=2e3,zo=16,Qo=/^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/,Zo=/^(#{1,6})\s+(.*?)\s*#*$/,er=/^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/,tr=/^ {0,3}(?:-[ -]*-[ -]*-|\*[ *]*\*[ *]*\*|_[ _]*_[ _]*_)\s*$/,nr=/^ {0,3}> ?(.*)$/,sr=/^\s*\|.*\|\s*$/,or=/^\[([ xX])\]\s+/,ze=class{#a;#s=null;#e="";#t=null;#n=[];#i=0;#c="";#l="";#r=null;#o=null;constructor(t){this.#a=t}write(t){let n=0;for(let s=t.indexOf(`
`);s!==-1;s=t.indexOf(`
`,n)){let o=this.#e+t.slice(n,s);this.#e="",this.#f(),this.#p(o.endsWith("\r")?o.slice(0,-1):o),n=s+1}n<t.length&&this.#m(t.slice(n))}end(){let t=this.#e;this.#e="",this.#f(),t!==""&&this.#p(t),this.#u()}#d(t){t.localName!=="figure"&&(t.dir="auto"),(this.#s===null||this.#s.childElementCount>=zo)&&(this.#s?.classList.add("complete"),this.#s=document.createElement("div"),this.#s.className="part",this.#a.append(this.#s)),this.#s.append(t)}#m(t){if(this.#e+=t,this.#e.length>Ye){this.#b();return}this.#t===null&&(this.#t=document.createElement(this.#r===null?"p":"span"),this.#t.append(""),this.#r===null?this.#d(this.#t):this.#r.append(this.#t)),this.#t.firstChild.appendData(this.#e.slice(this.#t.firstChild.length))}#b(){let t=this.#e;this.#e="",this.#f();for(let n=0;n<t.length;){let s=n+Ye;if(s>=t.length){this.#m(t.slice(n));return}let o=t.lastIndexOf(" ",s),r=o>n?o+1:s,i=t.slice(n,r);n=r,this.#r!==null?this.#r.append(i):(this.#p(i),this.#u())}}#f(){this.#t?.remove(),this.#t=null}#p(t){if(this.#r!==null){let i=this.#l;t.trimStart().startsWith(i)&&/^\s*[`~]+\s*$/.test(t)?this.#u():this.#v(`${t}
`);return}let n=Qo.exec(t);if(n!==null)return this.#w(n[1],n[2]);if(t.trim()==="")return this.#u();let s=Zo.exec(t);if(s!==null)return this.#$(`h${s[1].length}`,s[2]);if(tr.test(t))return this.#$("hr","");let o=er.exec(t);if(o!==null)return this.#y(o);let r=nr.exec(t);if(r!==null)return this.#h("quote",r[1]);this.#h(sr.test(t)?"table":"text",t)}#h(t,n){if(this.#o!==null&&t==="text"&&/^\s{2}/.test(n)){let o=this.#o.lastElementChild;return o.append(" "),te(o,n.trim())}if((this.#c!==t||this.#i>Ye)&&this.#u(),this.#c=t,this.#n.push(n),this.#i+=n.length,t==="table")return;this.#n.length===1&&this.#d(document.createElement(t==="quote"?"blockquote":"p"));let s=this.#s.lastElementChild;this.#n.length>1&&s.append(`
`),te(s,n)}#$(t,n){this.#u();let s=/^h\d$/.test(t),o=document.createElement(s?"p":t);s&&(o.className=`heading heading-${t.slice(1)}`,o.setAttribute("role","heading"),o.setAttribute("aria-level",String(Math.min(6,Number(t.slice(1))+3))),te(o,n)),this.#d(o)}#y([,t,n,s,o]){let r=n===void 0?"ol":"ul";(this.#o?.localName!==r||this.#o.childElementCount>=rr)&&(this.#u(),this.#o=document.createElement(r),s!==void 0&&(this.#o.start=Number(s)),this.#d(this.#o));let i=document.createElement("li");i.dir="auto";let a=Math.min(4,Math.floor(t.length/2));a>0&&(i.className=`depth-${a}`);let c=n===void 0?null:or.exec(o);c!==null&&i.append(Qn(c[1]!==" ")),te(i,c===null?o:o.slice(c[0].length)),c!==null&&i.classList.add("task"),this.#o.append(i)}#w(t,n){this.#u();let s=document.createElement("figure"),o=document.createElement("figcaption");o.append(n||"text",Zn(s)),s.append(o),this.#d(s),this.#l=t,this.#g(s)}#g(t){this.#r=document.createElement("pre"),this.#r.tabIndex=0,this.#i=0,t.append(this.#r)}#v(t){this.#i>Ye&&this.#g(this.#r.parentElement),this.#r.append(t),this.#i+=t.length}#u(){this.#c==="table"&&this.#d(Yn(this.#n)),this.#c="",this.#n=[],this.#i=0,this.#r=null,this.#o=null}},rr=100;function Ct({run:e,part:t,class:n=""}){let s=S(null);return v(()=>{let o=s.current;o.replaceChildren();let r=new ze(o),i=!1,a=()=>{i||e.isOpen||(i=!0,r.end())},c=new Ve(f=>r.write(f),a),u=e.fold[t];u!==""&&c.add(u);let d=e.onText((f,m)=>f===t&&c.add(m)),p=e.onChange(()=>c.isIdle&&a());return c.isIdle&&a(),()=>{d(),p(),c.stop()}},[e,t]),l`<div ref=${s} class=${`text ${n}`}></div>`}function ts({run:e,turnId:t,columnId:n,isLast:s}){let[o,r]=g("");if(e.isOpen)return null;let i=e.fold.toolCalls;if(i.length===0)return null;let a=e.state==="done"&&s,c=i.every(({id:d})=>(e.toolAnswers.get(d)??"")!=="");return l`
    <form class="tool-calls" onSubmit=${d=>{d.preventDefault(),r("");try{On(t,n)}catch(p){r(p.message)}}}>
      ${i.map((d,p)=>l`
          <${ir} key=${p} call=${d} run=${e} canAnswer=${a} />
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
  `}function ir({call:e,run:t,canAnswer:n}){let{name:s,arguments:o,input:r}=e.function??e.custom,i=t.toolAnswers.get(e.id)??"",a=o!==void 0&&!ar(o);return l`
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
      <pre class="code-box" tabindex="0" aria-label=${`Arguments of ${s}`}>${lr(o??r)}</pre>
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
  `}function ar(e){return e.trim()===""||pe(me(e).value)}var es=5e4;function lr(e){if(e.length>es)return`${e.slice(0,es)}\u2026`;try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}}function ns({run:e,turnId:t,columnId:n,...s}){let{isLast:o,isFastest:r,isCheapest:i,isSelected:a,isBusy:c}=s;Ue(e);let[u,d]=g(""),{fold:p,state:f}=e,m=()=>{try{En(t,n)}catch(h){d(h.message)}};return l`
    <article class=${`answer ${a?"selected":""}`} aria-label=${`Answer of ${e.request.model}`}>
      <div class="message-head">
        <h3 class="wrap-anywhere">${e.request.model}</h3>
        <${fr} run=${e} />
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
            <${N} text=${()=>p.content} label="Copy the answer" isIcon />
            ${o&&l`
              <${E} icon="retry" class="small" label="Ask again" disabled=${c}
                onClick=${m} />
            `}
            <${E}
              icon="clear"
              class="small"
              label="Remove this answer"
              onClick=${()=>Ln(t,n,e)}
            />
          `}
        </span>
      </div>
      <${pr} run=${e} />
      <div class="answer-body">
        ${p.hasReasoning&&l`<${hr} run=${e} />`}
        ${f==="waiting"&&l`<${mr} run=${e} />`}
        <${Ct} run=${e} part="content" class="content" />
        <${$r} run=${e} />
        <${ts} run=${e} turnId=${t} columnId=${n} isLast=${o} />
      </div>
      ${e.error!==null&&l`<${C} error=${e.error} title=${cr(e)} />`}
      ${u!==""&&l`<p class="fault" role="alert">${u}</p>`}
      <div class="answer-foot">
        <${gr} run=${e} />
        <button
          type="button"
          class="quiet small"
          aria-pressed=${String(a)}
          onClick=${()=>wt(e)}
        ><${I} name="receipt" />Receipt</button>
      </div>
      <p class="only-read" role="status">${br(e)}</p>
    </article>
  `}function cr({fold:e}){return e.content===""?"The request failed":"The answer broke off"}var ur={streaming:["accent","writing"],stopped:["warn","stopped"],failed:["bad","failed"]},dr=new Map([["length","warn"],["content_filter","bad"],["tool_calls","accent"]]);function fr({run:{state:e,fold:t}}){let[n,s]=ur[e]??[dr.get(t.finishReason)??"",t.finishReason];return s?l`<span class=${`badge ${n}`} title="How the answer ended">${s}</span>`:null}function pr({run:e}){let t=gn(e);return t===""?null:l`<p class="answered soft small wrap-anywhere">${t}</p>`}function mr({run:e}){let[t,n]=g(performance.now());v(()=>{let o=setInterval(()=>n(performance.now()),100);return()=>clearInterval(o)},[]);let s=Math.max(0,(t-e.startedAt)/1e3).toFixed(1);return l`
    <p class="waiting soft"><span class="loading" aria-hidden="true"></span>Waiting ${s} s</p>
  `}function hr({run:e}){let[t,n]=g(!1),s=e.fold.usage?.completion_tokens_details?.reasoning_tokens;return l`
    <details class="reasoning" onToggle=${o=>n(o.currentTarget.open)}>
      <summary>
        Reasoning${s>0&&l`<span class="faint"> ${O(s)} tokens</span>`}
      </summary>
      ${t&&l`<${Ct} run=${e} part="reasoning" />`}
    </details>
  `}function $r({run:e}){let{refusal:t}=e.fold;return t===""||e.isOpen?null:l`
    <div class="refusal"><strong>Refused:</strong> <span class="plain-text">${t}</span></div>
  `}function gr({run:e}){let{first:t,total:n,speed:s}=e.timing,{usage:o}=e.fold,r=o?.prompt_tokens_details?.cached_tokens,i=[t!==null&&["First token",M(t)],n!==null&&["Total",M(n)],s!==null&&["Tokens/s",s>=100?O(s):s.toFixed(1)],o&&["Tokens",`${O(o.prompt_tokens)} in, ${O(o.completion_tokens)} out`+(r>0?`, ${O(r)} cached`:"")],e.cost!==null&&["Cost",H(e.cost)]].filter(Boolean);return l`
    <${D} class="figures" facts=${i} />
  `}function br({state:e,fold:t,request:{model:n}}){switch(e){case"done":return`${n} has answered${t.toolCalls.length>0?" with tool calls":""}`;case"stopped":return`The answer of ${n} was stopped`;default:return""}}function os(e){let t={fastest:-1,cheapest:-1};if(e.some(o=>o.some(({isOpen:r})=>r)))return t;let n=e.map(o=>o.at(-1)?.state==="done");if(n.filter(Boolean).length<2)return t;let s=o=>e.map((r,i)=>n[i]?yr(r.map(o)):1/0);return{fastest:ss(s(({timing:o})=>o.total)),cheapest:ss(s(({cost:o})=>o))}}function yr(e){return e.includes(null)?null:e.reduce((t,n)=>t+n,0)}function ss(e){if(e.includes(null))return-1;let t=Math.min(...e),n=e.indexOf(t);return n===e.lastIndexOf(t)?n:-1}function as({turn:e,index:t,columns:n,selected:s,isBusy:o}){let r=n.map(({id:i})=>e.runs.get(i)??[]);return An(r.flat()),l`
    <section class="turn" aria-label=${`Turn ${t+1}`}>
      <${vr} turn=${e} isBusy=${o} />
      ${r.flat().length>0&&l`
        <${wr} ...${{turn:e,columns:n,answers:r,selected:s,isBusy:o}} />
      `}
    </section>
  `}function wr({turn:e,columns:t,answers:n,selected:s,isBusy:o}){let{fastest:r,cheapest:i}=os(n),a=Math.max(...n.map(({length:c})=>c));return l`
    <div class="columns answers" style=${{"--columns":t.length,"--rows":a}}>
      ${t.map(({id:c},u)=>l`
          <div class="answer-column" key=${c}>
            ${n[u].map((d,p,f)=>{let m=p===f.length-1;return l`
                <${ns}
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
  `}function vr({turn:e,isBusy:t}){let[n,s]=g(null),[o,r]=g(""),{user:i}=e;if(n!==null){let a=()=>{In(e.id,n),s(null)},c=()=>{a(),is(()=>Je(e.id),r)};return l`
      <div class="user-message editing" onKeyDown=${u=>{u.key==="Escape"&&(u.stopPropagation(),s(null)),!(u.key!=="Enter"||!(u.ctrlKey||u.metaKey))&&(u.preventDefault(),t||c())}}>
        <${Ge} message=${n} onChange=${s} label="Edit the message">
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
          onClick=${()=>is(()=>Je(e.id),r)}
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
          onClick=${()=>Nn(e.id)}
        />
      </div>
      <${xt} images=${i.images} />
      ${i.text!==""&&l`<${kr} text=${i.text} />`}
      ${o!==""&&l`<p class="fault" role="alert">${o}</p>`}
    </div>
  `}var rs=4e3;function kr({text:e}){let[t,n]=g(!1),s=e.length>rs&&!t;return l`
    <p class="plain-text">${s?`${e.slice(0,rs)}\u2026`:e}</p>
    ${s&&l`
      <button type="button" class="quiet small" onClick=${()=>n(!0)}>
        Show all ${e.length} characters
      </button>
    `}
  `}function is(e,t){t("");try{e()}catch(n){t(n.message)}}function ls({state:e,isLoading:t}){return e.turns.length===0?l`<div class="conversation">${!t&&l`<${Hn} />`}</div>`:l`<${xr} state=${e} />`}function xr({state:e}){let{columns:t,selected:n,turns:s}=e,o=ke(e),r=L(()=>s.map((u,d)=>l`
          <${as}
            key=${u.id}
            turn=${u}
            index=${d}
            columns=${t}
            selected=${n}
            isBusy=${o}
          />
        `),[s,t,n,o]),{area:i,content:a,onScroll:c}=Cr(s.length);return l`
    <div class="conversation" ref=${i} onScroll=${c}>
      <div ref=${a}>
        <h2 class="only-read">Messages</h2>
        ${r}
        <div class="row conversation-end">
          <button type="button" class="quiet small" aria-keyshortcuts="Alt+Shift+X"
            onClick=${jn}>
            <${I} name="clear" />Clear the conversation
          </button>
        </div>
      </div>
    </div>
  `}var Sr=48;function Cr(e){let t=S(null),n=S(null),s=S(!0),o=S(0),r=()=>{s.current&&t.current!==null&&(t.current.scrollTop=t.current.scrollHeight)},i=()=>{if(t.current===null)return;let{clientHeight:a,scrollHeight:c,scrollTop:u}=t.current;c-u-a<Sr?s.current=!0:u<o.current&&(s.current=!1),o.current=u};return v(()=>{let a=new ResizeObserver(r);return a.observe(n.current),()=>a.disconnect()},[]),v(()=>{s.current=!0,r()},[e]),{area:t,content:n,onScroll:i}}var _r=["model","messages","stream","stream_options","temperature","top_p","n","max_tokens","max_completion_tokens","stop","seed","frequency_penalty","presence_penalty","logit_bias","logprobs","top_logprobs","reasoning_effort","verbosity","response_format","tools","tool_choice","parallel_tool_calls","service_tier","store","user","metadata","modalities","audio","prediction"],Ar=["model","prompt","size","quality","n"],Or=["model","input","voice","instructions","speed","response_format"],Er=["model","language","prompt","temperature"],Qe=new Map([["chat",{path:"/chat/completions",call:"chat.completions.create",known:new Set(_r),python:{whole:["print(answer.choices[0].message.content)"],stream:["for chunk in answer:","    if chunk.choices and chunk.choices[0].delta.content:",'        print(chunk.choices[0].delta.content, end="", flush=True)']},script:{whole:["console.log(answer.choices[0]?.message.content);"],stream:["for await (const chunk of answer) {",'  process.stdout.write(chunk.choices[0]?.delta.content ?? "");',"}"]}}],["images",{path:"/images/generations",call:"images.generate",known:new Set(Ar),python:{imports:["import base64"],whole:["for index, image in enumerate(answer.data):",'    with open(f"image-{index + 1}.png", "wb") as file:',"        file.write(base64.b64decode(image.b64_json))"]},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:["for (const [index, image] of (answer.data ?? []).entries()) {",'  const bytes = Buffer.from(image.b64_json ?? "", "base64");',"  await writeFile(`image-${index + 1}.png`, bytes);","}"]}}],["speech",{path:"/audio/speech",call:"audio.speech.create",known:new Set(Or),python:{whole:['answer.write_to_file("speech.audio")']},script:{imports:['import { writeFile } from "node:fs/promises";'],whole:['await writeFile("speech.audio", Buffer.from(await answer.arrayBuffer()));']}}],["transcription",{path:"/audio/transcriptions",call:"audio.transcriptions.create",known:new Set(Er),takesFile:!0,python:{whole:["print(answer.text)"]},script:{imports:['import { createReadStream } from "node:fs";'],whole:["console.log(answer.text);"]}}],["rerank",{path:"/rerank",known:new Set,python:{imports:["import httpx"],whole:["print(answer.json())"]},script:{whole:["console.log(answer);"]}}]]);var tt=[{id:"curl",title:"curl",write:Tr},{id:"python",title:"Python",write:Rr},{id:"typescript",title:"TypeScript",write:Mr}],cs="SLUICE_BODY";function Tr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{path:r,takesFile:i}=Qe.get(e),a=[`curl ${Ze(t+r)}`,...n.stream===!0?["--no-buffer"]:[],'-H "Authorization: Bearer $SLUICE_API_KEY"',...i?[]:["-H 'Content-Type: application/json'"],...Object.entries(s).map(([c,u])=>`-H ${Ze(`${c}: ${u}`)}`),...e==="speech"?["--output speech.audio"]:[]];if(i){let c=Object.entries(n).map(([d,p])=>`--form-string ${Ze(`${d}=${p}`)}`),u=`"${o.replaceAll(/["\\]/g,"\\$&")}"`;return`${[...a,...c,`-F ${Ze(`file=@${u}`)}`].join(` \\
  `)}
`}return a.push(`--data-binary @- <<'${cs}'`),`${a.join(` \\
  `)}
${JSON.stringify(n,null,2)}
${cs}
`}function Ze(e){return`'${e.replaceAll("'","'\\''")}'`}function us(e,t){let n=Object.entries(e);return{known:n.filter(([s])=>t.has(s)),others:n.filter(([s])=>!t.has(s))}}function Rr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,python:c,takesFile:u}=Qe.get(e),{known:d,others:p}=us(n,i),f=r===void 0?[`    ${V(a)},`,"    cast_to=httpx.Response,",`    body=${V(n,1)},`]:d.map(([m,h])=>`    ${m}=${V(h,1)},`);return u&&f.unshift(`    file=open(${V(o)}, "rb"),`),r!==void 0&&p.length>0&&f.push(`    extra_body=${V(Object.fromEntries(p),1)},`),Object.keys(s).length>0&&f.push(`    extra_headers=${V(s,1)},`),[...["import os",...c.imports??[]].sort(),"","from openai import OpenAI","",`client = OpenAI(base_url=${V(t)}, api_key=os.environ["SLUICE_API_KEY"])`,`answer = client.${r??"post"}(`,...f,")",...n.stream===!0?c.stream:c.whole,""].join(`
`)}function V(e,t=0){if(e===null)return"None";if(e===!0)return"True";if(e===!1)return"False";if(Array.isArray(e))return et("[","]",e.map(n=>V(n,t+1)),t,4);if(typeof e=="object"){let n=Object.entries(e).map(([s,o])=>`${JSON.stringify(s)}: ${V(o,t+1)}`);return et("{","}",n,t,4)}return JSON.stringify(e)}function Mr({api:e="chat",baseUrl:t,body:n,headers:s,file:o=""}){let{call:r,known:i,path:a,script:c,takesFile:u}=Qe.get(e),{known:d,others:p}=us(n,i),f=d.map(([b,$])=>`  ${b}: ${Y($,1)},`);u&&f.unshift(`  file: createReadStream(${Y(o)}),`),r===void 0?f.push(`  body: ${Y(n,1)},`):p.length>0&&f.push(`  ...(${Y(Object.fromEntries(p),1)} as object),`);let m=Object.keys(s).length===0?"":`, { headers: ${Y(s)} }`,h=r===void 0?`post(${Y(a)}, {`:`${r}({`;return[...c.imports??[],'import OpenAI from "openai";',"","const client = new OpenAI({",`  baseURL: ${Y(t)},`,"  apiKey: process.env.SLUICE_API_KEY,","});",`const answer = await client.${h}`,...f,`}${m});`,...n.stream===!0?c.stream:c.whole,""].join(`
`)}var Ir=/^[A-Za-z_$][\w$]*$/;function Y(e,t=0){if(Array.isArray(e))return et("[","]",e.map(n=>Y(n,t+1)),t,2);if(typeof e=="object"&&e!==null){let n=Object.entries(e).map(([s,o])=>`${Nr(s)}: ${Y(o,t+1)}`);return et("{","}",n,t,2)}return JSON.stringify(e)}function Nr(e){return e==="__proto__"?'["__proto__"]':Ir.test(e)?e:JSON.stringify(e)}var Lr=60;function et(e,t,n,s,o){if(n.length===0)return e+t;let r=n.join(", ");if(r.length<=Lr&&!r.includes(`
`))return e==="{"&&o===2?`{ ${r} }`:e+r+t;let i=" ".repeat(o*(s+1)),a=n.map(c=>`${i}${c},
`);return`${e}
${a.join("")}${" ".repeat(o*s)}${t}`}function _t(e){let t=_().media[e],{body:n,errors:s}=qe(e,t);if(s.size>0){let[[o,r]]=s;throw new RangeError(`${o}: ${r}`)}return{api:e,body:n,headers:{},file:t.file?.name}}async function ds(e){At(e);let{body:t}=_t(e),{file:n}=_().media[e],{path:s,takesFile:o}=B.get(e),r=new AbortController,i=performance.now(),a=bt(),c={state:"waiting",body:t,requestId:a,answer:null,error:null,headers:null,ms:null,stop:()=>r.abort()},u=d=>{_().media[e].run===c&&(c={...c,...d},J(e,{run:c}))};J(e,{run:c});try{let d=await ae(s,{body:o?vn(t,n):t,headers:{"x-request-id":a},signal:r.signal}),p=await(e==="speech"?d.blob():d.json()),f=ve(d.headers);u({state:"done",answer:p,headers:f,ms:performance.now()-i})}catch(d){let p=performance.now()-i;r.signal.aborted?u({state:"stopped",ms:p}):u({state:"failed",error:d,headers:ve(d.headers??new Headers),ms:p})}}function At(e){let{run:t}=_().media[e];t?.state==="waiting"&&t.stop()}var fs=2e4;function ps({state:e,kind:t,onClose:n}){let s=t==="chat",[o,r]=g(tt[0].id),[i,a]=g(String(e.columns[0].id)),{text:c,fault:u}=L(()=>{try{let p=s?vt(Number(i)):_t(t),{write:f}=tt.find(({id:m})=>m===o);return{text:f({...p,baseUrl:`${location.origin}/v1`})}}catch(p){return{text:"",fault:p.message}}},[o,i]),d=c.length>fs?`${c.slice(0,fs)}
\u2026 (${c.length} characters; Copy takes all)`:c;return l`
    <${X} title="Copy the request" onClose=${n}>
      <div class="stack">
        <div class="row spread">
          <${q}
            label="Language"
            value=${o}
            options=${tt.map(({id:p,title:f})=>[p,f])}
            onChange=${r}
          />
          ${s&&e.columns.length>1&&l`
            <${q}
              label="Model"
              value=${i}
              options=${e.columns.map(({id:p,model:f},m)=>[String(p),`${m+1}: ${f}`])}
              onChange=${a}
            />
          `}
          <${N} text=${c} class="primary small" />
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
  `}function ms({error:e,fold:t,headers:n,isOpen:s,request:o,requestId:r,state:i,timing:a,toolAnswers:c}){let{message:u,status:d,type:p,code:f,param:m,requestId:h}=e??{},{first:b,total:$}=a;return{model:o.model,stream:o.body.stream,requestId:r,headers:n,first:b,total:$,message:{...t.toMessage(),reasoning_content:t.reasoning},finishReason:t.finishReason,usage:t.usage,state:s?"stopped":i,error:e&&{message:u,status:d,type:p,code:f,param:m,requestId:h},toolAnswers:[...c]}}function hs(e){let{model:t,stream:n,message:s,finishReason:o,usage:r,first:i,total:a}=e,c=new ee({model:t,body:{stream:n},headers:{}});return c.fold.addCompletion({choices:[{message:s,finish_reason:o}],usage:r}),c.isRestored=!0,c.state=e.state,c.error=e.error&&new Bt(e.error.message,e.error),c.headers=e.headers,c.requestId=e.requestId,c.toolAnswers=new Map(e.toolAnswers),c.startedAt=0,c.firstTextAt=i,c.endedAt=a,c}var Ot="sluice.playground",jr=400,bs=["kind","system","draft","parameters","tools","stream","streamUsage","panel"],nt,$s=[];function ys(){Fr(),Cn(()=>{Pr(),ws()}),addEventListener("pagehide",vs)}function st(){clearTimeout(nt);try{sessionStorage.removeItem(Ot)}catch{}}function Pr(){for(let e of $s)e();$s=re(_()).map(e=>e.onChange(()=>e.isOpen||ws()))}function ws(){clearTimeout(nt),nt=setTimeout(vs,jr)}function vs(){clearTimeout(nt);let e=Dr(_());!gs(e)&&!gs({...e,...qr(e)})&&st()}function gs(e){try{return sessionStorage.setItem(Ot,JSON.stringify(e)),!0}catch{return!1}}function Dr(e){return{...Object.fromEntries(bs.map(t=>[t,e[t]])),columns:e.columns,media:Object.entries(e.media).map(([t,{model:n,texts:s}])=>[t,{model:n,texts:s}]),turns:e.turns.map(({user:t,runs:n})=>({user:t,runs:[...n].map(([s,o])=>[s,o.map(ms)])}))}}function qr({draft:e,turns:t}){return{draft:{...e,images:[]},turns:t.map(n=>({...n,user:{...n.user,images:[]}}))}}function Fr(){try{let e=JSON.parse(sessionStorage.getItem(Ot)??"null");e!==null&&k(Br(e))}catch{st()}}function Br(e){let t=new Map(e.columns.map(({id:r})=>[r,oe()])),n=e.turns.map(({user:r,runs:i})=>({id:oe(),user:r,runs:new Map(i.filter(([a])=>t.has(a)).map(([a,c])=>[t.get(a),c.map(hs)]))})),[s]=t.values(),o={..._().media};for(let[r,i]of e.media??[])r in o&&(o[r]={...o[r],...i});return{...Object.fromEntries(bs.filter(r=>r in e).map(r=>[r,e[r]])),media:o,columns:e.columns.map(r=>({...r,id:t.get(r.id)})),turns:n,selected:n.at(-1)?.runs.get(s)?.at(-1)??null}}var ks=100;function xs({label:e,value:t,options:n,onChange:s,render:o,placeholder:r,children:i}){let a=j("options"),c=S(null),[u,d]=g(!1),[p,f]=g(null),[m,h]=g(-1),{shown:b,total:$}=Ur(n,p),w=b[m]!==void 0;v(()=>{u&&w&&document.getElementById(`${a}-${m}`)?.scrollIntoView({block:"nearest"})},[u,m]);let y=()=>{d(!0),h(b.findIndex(({id:x})=>x===t))},R=()=>{d(!1),f(null),h(-1)},W=x=>{s(x),R()},ie=()=>{p!==null&&p.trim()!==""&&s(p.trim()),R()},Ee=x=>{switch(x.key){case"ArrowDown":case"ArrowUp":{if(x.preventDefault(),!u)return y();let Te=x.key==="ArrowDown"?1:-1;return h(b.length===0?-1:(m+Te+b.length)%b.length)}case"Enter":return!u||x.ctrlKey||x.metaKey?void 0:(x.preventDefault(),w?W(b[m].id):ie());case"Escape":u&&(x.stopPropagation(),R());return;default:return}};return l`
    <div class="combobox">
      <input
        ref=${c}
        role="combobox"
        aria-label=${e}
        aria-expanded=${String(u)}
        aria-controls=${a}
        aria-autocomplete="list"
        aria-activedescendant=${u&&w?`${a}-${m}`:void 0}
        autocomplete="off"
        spellcheck=${!1}
        placeholder=${r}
        value=${p??t}
        onInput=${x=>{f(x.target.value),d(!0),h(x.target.value===""?-1:0)}}
        onClick=${()=>!u&&y()}
        onFocus=${x=>x.target.select()}
        onBlur=${ie}
        onKeyDown=${Ee}
      />
      ${i}
      <${I} name="down" />
      <ul
        id=${a}
        role="listbox"
        aria-label=${e}
        hidden=${!u}
        onMouseDown=${x=>x.preventDefault()}
      >
        ${u&&b.map((x,Te)=>l`
            <li
              key=${x.id}
              id=${`${a}-${Te}`}
              role="option"
              aria-selected=${String(Te===m)}
              class=${x.id===t?"chosen":""}
              onClick=${()=>W(x.id)}
            >
              <span class="wrap-anywhere">${x.id}</span>${o(x)}
            </li>
          `)}
        ${u&&$>b.length&&l`
          <li role="presentation" class="hint">${$-b.length} more: type to search</li>
        `}
        ${u&&$===0&&l`
          <li role="presentation" class="hint">Not in the list. Enter takes it as it is.</li>
        `}
      </ul>
    </div>
  `}function Ur(e,t){if(t===null||t.trim()==="")return{shown:e.slice(0,ks),total:e.length};let n=t.trim().toLowerCase(),s=n.split(/\s+/),o=e.filter(({id:i,text:a=""})=>{let c=`${i} ${a}`.toLowerCase();return s.every(u=>c.includes(u))}),r=({id:i})=>i.toLowerCase().startsWith(n)?0:1;return o.sort((i,a)=>r(i)-r(a)),{shown:o.slice(0,ks),total:o.length}}function Ss(){let[e,t]=g({models:[],error:null,isLoading:!0}),[n,s]=g(0);return v(()=>{let o=new AbortController;return A("/v1/models",{signal:o.signal}).then(({data:r})=>t({models:r,error:null,isLoading:!1}),r=>!o.signal.aborted&&t({models:[],error:r,isLoading:!1})),()=>o.abort()},[n]),{...e,reload:()=>s(n+1)}}function Cs(e,t){let[n,s]=g({id:"",model:void 0}),o=t.find(i=>i.id===e),r=o===void 0&&e!==""&&t.length>0;return v(()=>{if(!r)return;let i=new AbortController;return A(`/v1/models/${encodeURIComponent(e)}`,{signal:i.signal}).then(a=>s({id:e,model:a}),()=>!i.signal.aborted&&s({id:e,model:null})),()=>i.abort()},[e,r]),o??(n.id===e?n.model:void 0)}function As({state:e,notes:t}){let{system:n,parameters:s,stream:o,streamUsage:r,tools:i}=e,{errors:a}=je(s),c=f=>(s[f]??"").trim()!=="",u=Object.keys(s).filter(c).length+(i.trim()===""?0:1),d=be.filter(({name:f})=>c(f)).length,p=f=>l`
      <${Se}
        key=${f.name}
        parameter=${f}
        text=${s[f.name]??""}
        error=${a.get(f.name)}
        onChange=${m=>k({parameters:{...s,[f.name]:m}})}
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
      ${ft.map(f=>p(f.name==="tool_choice"?Wr(f,i):f))}
      <${Hr} text=${i} />
      <details class="more">
        <summary>More${d>0?`: ${d} set`:`: ${be.length}`}
          <span> parameters</span></summary>
        <div class="stack">
          <${_s} label="Stream the answer" value=${o} onChange=${f=>k({stream:f})} />
          <${_s} label="Usage and cost in the stream" value=${r} isOff=${!o}
            onChange=${f=>k({streamUsage:f})} />
          ${be.map(p)}
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
  `}function Wr(e,t){let n=(se(t).value??[]).map(s=>s.function?.name);return{...e,options:[...e.options,...n.filter(Boolean)]}}function _s({label:e,value:t,isOff:n=!1,onChange:s}){return l`
    <label class="check">
      <input type="checkbox" checked=${t} disabled=${n} onChange=${o=>s(o.target.checked)} />
      ${e}
    </label>
  `}function Hr({text:e}){let{error:t,value:n=[]}=se(e),s=n.map(r=>r.function?.name??r.custom?.name??r.type),o=r=>k({tools:r});return l`
    <div class="field">
      <div class="row spread">
        <label class="mono" for="tools">tools</label>
        <button type="button" class="quiet small" onClick=${()=>o(e===""?ue:"")}>${e===""?"Example":"Clear"}</button>
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
  `}function Se({parameter:e,text:t,error:n,onChange:s}){let o=j("parameter"),{name:r,label:i=r,kind:a}=e,c=a==="json"||a==="lines"||a==="long",u=n??(t===""||c?e.hint:void 0),d={id:o,parameter:e,text:t,onChange:s,isInvalid:n!==void 0};return l`
    <div class=${`parameter ${c?"wide":""} ${t===""?"":"touched"}`}>
      <label class="mono" for=${o}>${i}</label>
      <${Jr} ...${d} />
      ${e.slider!==void 0&&l`<${Kr} ...${d} />`}
      ${a==="format"&&we(t)==="json_schema"&&l`
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
  `}function Kr({parameter:{name:e,min:t,slider:n,step:s=1},text:o,onChange:r}){return l`
    <input
      type="range"
      aria-label=${`${e}, slider`}
      min=${t}
      max=${n}
      step=${s}
      value=${o.trim()===""?n/2:o}
      onInput=${i=>r(i.target.value)}
    />
  `}function Jr({id:e,parameter:t,text:n,isInvalid:s,onChange:o}){let{kind:r}=t,i={id:e,value:n,"aria-invalid":String(s),"aria-describedby":`${e}-hint`,onInput:a=>o(a.target.value)};switch(r){case"boolean":return l`<${Et} ...${i} options=${["true","false"]} />`;case"choice":return l`<${Et} ...${i} options=${t.options} />`;case"format":return l`
        <${Et}
          ...${i}
          value=${we(n)}
          options=${[...Z.keys()]}
          onInput=${a=>o(Z.get(a.target.value)??"")}
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
          title=${`Must be ${mt(t)}`}
          placeholder=${Xr(t)}
          onKeyDown=${a=>Gr(a,t,n,o)}
        />
      `;default:return l`
        <input ...${i} autocomplete="off" spellcheck=${!1} placeholder="not sent" />
      `}}function Et({options:e,value:t,...n}){let s=t===""||e.includes(t)?e:[...e,t];return l`
    <select ...${n} value=${t}>
      <option value="">not sent</option>
      ${s.map(o=>l`<option key=${o} value=${o}>${o}</option>`)}
    </select>
  `}function Xr({min:e,max:t}){return e!==void 0&&t!==void 0&&t<1e3?`${e} \u2013 ${t}`:e===void 0?"not sent":`\u2265 ${e}`}function Gr(e,{kind:t,min:n,max:s,step:o=1},r,i){if(e.key!=="ArrowUp"&&e.key!=="ArrowDown")return;e.preventDefault();let a=r.trim()===""?t==="number"?1:n??0:Number(r);if(!Number.isFinite(a))return;let c=r.trim()===""?a:a+(e.key==="ArrowUp"?o:-o),u=Math.min(s??1/0,Math.max(n??-1/0,c));i(String(Math.round(u*1e3)/1e3))}function Os({id:e,onClose:t}){let{columns:n,system:s}=Be(),o=n.findIndex(d=>d.id===e);if(o===-1)return null;let{model:r,own:i={}}=n[o],a=d=>{let p={...i,...d};for(let f of Object.keys(p))p[f]===void 0&&delete p[f];k({columns:n.with(o,{...n[o],own:p})})},c=()=>{let{own:d,...p}=n[o];k({columns:n.with(o,p)})},u=i.parameters??{};return l`
    <${X} title=${`Settings of model ${o+1}`} onClose=${t}>
      <div class="stack">
        <p class="hint wrap-anywhere">They replace those of the page for ${r}. Empty ones do not.</p>
        ${ln.map(d=>{let p=u[d]??"",{error:f}=ye(pt(d),p);return l`
            <${Se}
              key=${d}
              parameter=${pt(d)}
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
  `}function Es({columns:e,models:t}){let n=(i,a)=>k({columns:e.map(c=>c.id===i?{...c,model:a}:c)}),[s,o]=g(null),r=i=>k({columns:e.filter(a=>a.id!==i)});return l`
    <div class="columns model-row" style=${{"--columns":e.length}}>
      ${e.map((i,a)=>{let{id:c,model:u}=i,d=cn(i);return l`
          <div class="model-column" key=${c}>
            <${Tt}
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
        <${Os} id=${s} onClose=${()=>o(null)} />
      `}
    </div>
  `}function Tt({label:e,id:t,models:n,onChange:s}){let o=Cs(t,n),r=o===null?["unknown model"]:o===void 0?[]:[Ne(o)==="alias"&&`alias of ${o.root}`,Le(o),o.context_window&&z(o.context_window)].filter(Boolean);return l`
    <div class="model-chip" title=${o?Vr(o):void 0}>
      <${xs}
        label=${e}
        value=${t}
        options=${n}
        placeholder="Choose a model"
        onChange=${s}
        render=${i=>l`
            <span class="option-facts">
              ${Ne(i)!=="model"&&l`
                <span class="badge">${Ne(i)}</span>
              `}
              ${[i.owned_by,...ge(i).slice(0,1),Le(i)].filter(Boolean).join(" \xB7 ")}
            </span>
          `}
      >
        <span class="chip-facts">${r.join("; ")}</span>
        <//>
        </div>
  `}function Vr(e){let t=Le(e);return[`${e.id} by ${e.owned_by}`,t&&`${t} (tokens by the million)`,...ge(e),ce(e).join(", ")].filter(Boolean).join(". ")}function Ts({kind:e,entry:t,models:n}){let{fields:s,takesFile:o,verb:r}=B.get(e),{model:i,texts:a,run:c}=t,[u,d]=g(!1),{errors:p}=qe(e,t),f=c?.state==="waiting",m=n[0]?.id;v(()=>{i===""&&m!==void 0&&J(e,{model:m})},[i,m]);let h=$=>{$.preventDefault(),d(!0),p.size===0&&ds(e)},b=$=>u||(a[$]??"")!=="";return l`
    <section class="media" aria-label=${B.get(e).title}>
      <div class="model-row model-column">
        <${Tt} label="Model" id=${i} models=${n} onChange=${$=>J(e,{model:$})} />
      </div>
      <form class="media-form" onSubmit=${h}>
        ${o&&l`
          <${Yr} kind=${e} entry=${t}
            error=${u?p.get("file"):void 0} />
        `}
        ${s.map($=>l`
            <${Se}
              key=${$.name}
              parameter=${$}
              text=${a[$.name]??""}
              error=${b($.name)?p.get($.name):void 0}
              onChange=${w=>J(e,{texts:{...a,[$.name]:w}})}
            />
          `)}
        <div class="row end">
          ${f?l`<button type="button" class="danger" onClick=${()=>At(e)}>Stop</button>`:l`<button class="primary">${r}</button>`}
        </div>
      </form>
      <div class="media-answer" aria-live="polite">
        ${f&&l`<${T} text="Waiting for the answer" />`}
        ${c?.state==="stopped"&&l`<p class="hint">Stopped.</p>`}
        ${c?.error&&l`<${C} error=${c.error} title="The request failed" />`}
        ${c?.state==="done"&&l`<${zr} kind=${e} run=${c} />`}
        ${c&&!f&&l`<${ti} run=${c} />`}
      </div>
    </section>
  `}function Yr({kind:e,entry:{file:t},error:n}){return l`
    <div class="field">
      <label for="media-file">file</label>
      <input id="media-file" type="file" accept="audio/*,video/mp4,video/webm" onChange=${s=>J(e,{file:s.target.files[0]??null})} />
      <p class=${n===void 0?"hint":"fault"}>
        ${n??(t===null?"Audio, such as MP3 or WAV":`${t.name}, ${G(t.size)}`)}
      </p>
    </div>
  `}function zr({kind:e,run:{answer:t,body:n}}){switch(e){case"images":return l`<${Qr} images=${xn(t)} prompt=${n.prompt} />`;case"speech":return l`<${Zr} audio=${t} />`;case"transcription":return l`
        <p class="plain-text">${t.text}</p>
        <p>
          <${N} text=${t.text??""} />
        </p>
      `;default:return l`<${ei} rows=${kn(t,n.documents)} />`}}function Qr({images:e,prompt:t}){return l`
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
  `}function Zr({audio:e}){let t=S(null),[n,s]=g({seconds:null,fault:"",isPlaying:!1}),[o,r]=g("");v(()=>{let d=new AudioContext,p=!1,f=URL.createObjectURL(e);return r(f),e.arrayBuffer().then(m=>d.decodeAudioData(m)).then(m=>{p||(t.current={context:d,sound:m,source:null},s({seconds:m.duration,fault:"",isPlaying:!1}))},()=>p||s({seconds:null,fault:"This browser cannot play it"})),()=>{p=!0,URL.revokeObjectURL(f),d.close()}},[e]);let i=()=>{let{context:d,sound:p,source:f}=t.current;if(n.isPlaying)return f.stop();let m=new AudioBufferSourceNode(d,{buffer:p});return m.connect(d.destination),m.onended=()=>s(h=>({...h,isPlaying:!1})),t.current.source=m,d.resume(),m.start(),s({...n,isPlaying:!0})},{fault:a,isPlaying:c,seconds:u}=n;return l`
    <div class="row">
      <button type="button" disabled=${u===null} onClick=${i}>
        ${c?"Stop playing":"Play"}
      </button>
      <a class="button" href=${o} download="speech">Download</a>
      <span class="hint">${[u!==null&&M(1e3*u),e.type,G(e.size)].filter(Boolean).join(", ")}</span>
    </div>
    ${a!==""&&l`<p class="hint">${a}</p>`}
  `}function ei({rows:e}){return l`
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
  `}function ti({run:{headers:e,ms:t,requestId:n}}){let s=e?.provider&&`${e.provider} / ${e.model??""}`,o=[s&&["Answered by",s],t!==null&&["Total",M(t)],e?.cost!=null&&["Cost",H(e.cost)],e?.ignored.length>0&&["Ignored",e.ignored.join(", ")]].filter(Boolean);return l`
    <div class="answer-foot">
      <${D} class="figures" facts=${o} />
      <a href=${`#/requests/${encodeURIComponent(n)}`}>Request</a>
    </div>
  `}function Is({run:e}){Ue(e),v(()=>void e.explain(),[e]);let{explanation:t,explanationError:n,isRestored:s}=e,o=t?.targets??[],r=t===null?0:$n(t,e.target),[i,a]=g(null),c=Math.min(i??r,Math.max(0,o.length-1)),u=o[c],d=t===null&&n===null&&!s;return l`
    <${ni} run=${e} estimate=${u?.estimate} />
    ${o.length>1&&l`
      <section aria-label="Targets">
        <h3>Targets in order</h3>
        <${si} ...${{targets:o,index:c,onChoose:a}} />
      </section>
    `}
    <section aria-label="Parameters">
      <h3>Parameters</h3>
      <${oi} target=${u} run=${e} isReal=${c===r} />
    </section>
    <section aria-label="Request to the vendor">
      <h3>Request to the vendor</h3>
      ${d&&l`<${T} />`}
      ${s&&l`
        <p class="hint">
          Bodies are not kept when the page is loaded again. "Ask again" shows them.
        </p>
      `}
      ${u?.request&&l`<${ri} request=${u.request} />`}
      ${u?.error&&l`<${C} error=${u.error} title="Nothing is sent" />`}
      ${n!==null&&l`
        <${C} error=${n} title="Nothing is sent" />
      `}
    </section>
  `}function ni({run:e,estimate:t}){let{headers:n,record:s,request:o,requestId:r,state:i}=e,a=e.target&&`${e.target.provider} / ${e.target.model}`,c=i==="preview",u=[["Requested",o.model],[i==="failed"?"Target":"Answered by",a],["Attempts",e.attempts],["Overhead",Rt(n?.overheadMs,M)],["Cost",Rt(e.cost,H)],c?["Tokens in",t?.input_tokens]:["",""],c?["Cost at most",Rt(t?.max_cost_usd,H)]:["",""],["Tags",s?.tags?.length>0?s.tags.join(", "):null],["Vendor's ID",n?.upstreamRequestId],c?["",""]:["Request",l`<a class="mono" href=${`#/requests/${encodeURIComponent(r)}`}>${r}</a>`]].filter(([,d])=>d!=null&&d!=="");return l`
    <section aria-label="Route">
      <div class="row spread">
        <h3>${c?"Preview":"Route"}</h3>
        ${c&&l`<span class="badge">nothing was sent</span>`}
      </div>
      <${D} class="facts-list" facts=${u} />
    </section>
  `}function Rt(e,t){return e==null?null:t(e)}function si({targets:e,index:t,onChoose:n}){return l`
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
  `}function oi({target:e,run:t,isReal:n}){let s=t.headers===null?[]:gt(t.headers),o=mn(e?.receipt??[],n?t.headers:null),r=hn(e===void 0?s:o),i=r.filter(({fate:c})=>c!=="as is"),a=r.filter(({fate:c})=>c==="as is");return r.length===0?l`<p class="hint">${e?.error?"None was converted.":"The request has none."}</p>`:l`
    ${i.length>0&&l`<${Rs} rows=${i} />`}
    ${a.length>0&&l`
      <details class="same">
        <summary>
          ${a.length} sent as ${a.length===1?"it is":"they are"}
        </summary>
        <${Rs} rows=${a} />
      </details>
    `}
  `}function Rs({rows:e}){return l`
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
  `}var Ms=3e4;function ri({request:{method:e,url:t,headers:n,body:s}}){let o=bn(s);return l`
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
        <pre class="code-box" tabindex="0" aria-label="Body">${o.length>Ms?`${o.slice(0,Ms)}
\u2026`:o}</pre>
        <${N} text=${()=>JSON.stringify(s,null,2)} />
      </div>
    </div>
  `}Ft(()=>{qt()||(_n(),st())});ys();function Ns({route:e}){return Dt()===""?l`
      <p class="notice">The playground needs a service key.</p>
      <${Gt} />
    `:l`<${li} named=${e.query.get("model")} />`}var ii=[["chat","Messages"],["settings","Parameters"],["receipt","Receipt"]],ai=[["chat","Chat"],...[...B].map(([e,{title:t}])=>[e,t])];function li({named:e}){let t=Be(),{models:n,error:s,isLoading:o,reload:r}=Ss();Xt(s??void 0,r);let i=L(()=>Map.groupBy(n,dt),[n]),a=L(()=>i.get("chat")??[],[i]),[c,u]=g("");v(()=>{!e||n.length===0||(history.replaceState(null,"","#/playground"),u(pi(e,n)?"":e))},[e,n]),v(()=>mi(a),[a]);let d=ai.filter(([f])=>i.has(f)||f==="chat"&&n.length===0),p=d.some(([f])=>f===t.kind)?t.kind:d[0]?.[0]??"chat";return l`
    <div class="playground" data-panel=${t.panel} data-kind=${p}>
      <${ci} ...${{kind:p,kinds:d,models:a,state:t,error:s,reload:r}} />
      ${c!==""&&l`
        <p class="notice" role="status">
          There is nothing to try with ${c}: it is for embeddings or moderation.
        </p>
      `}
      ${p==="chat"?l`<${ui} ...${{state:t,models:a,isLoading:o}} />`:l`
        <${Ts} key=${p} kind=${p} entry=${t.media[p]}
          models=${i.get(p)} />
      `}
    </div>
  `}function ci({kind:e,kinds:t,models:n,state:s,error:o,reload:r}){let{columns:i,panel:a}=s,[c,u]=g(!1);return l`
    <header class="playground-head">
      <h1>Playground</h1>
      ${t.length>1&&l`
        <${q} label="Kind" value=${e} options=${t} onChange=${d=>k({kind:d})} />
      `}
      <span class="grow"></span>
      ${e==="chat"&&l`
        <button
          type="button"
          aria-keyshortcuts="Alt+Shift+C"
          title="Compare with another model"
          disabled=${i.length>=Fe}
          onClick=${()=>Mn(n)}
        >Compare</button>
      `}
      <button type="button" aria-keyshortcuts="Alt+Shift+Y" onClick=${()=>u(!0)}>
        Copy as
      </button>
      ${e==="chat"&&l`
        <${q} label="Panel" value=${a} options=${ii} onChange=${d=>k({panel:d})} />
      `}
      ${o&&l`
        <div class="stack">
          <${C} error=${o} title="Cannot load the models" />
          <p><button type="button" onClick=${r}>Try again</button></p>
        </div>
      `}
      ${c&&l`
        <${ps} state=${s} kind=${e} onClose=${()=>u(!1)} />
      `}
    </header>
  `}function ui({state:e,models:t,isLoading:n}){let{columns:s,panel:o,parameters:r,selected:i,stream:a,streamUsage:c,system:u,tools:d}=e,p=di(e).join(`
`),f=L(()=>l`<${As} state=${e} notes=${p.split(`
`).filter(Boolean)} />`,[r,a,c,u,d,p]),m=L(()=>l`<${Es} columns=${s} models=${t} />`,[s,t]),h=L(()=>l`<${fi} run=${i} />`,[i]);return l`
    <section class="chat-panel" aria-label="Conversation">
      ${m}
      <${ls} state=${e} isLoading=${n} />
      <${Wn} state=${e} />
    </section>
    <aside class="side-panel" aria-label=${o==="receipt"?"Receipt":"Parameters"}>
      ${o==="receipt"?h:f}
    </aside>
  `}function di({columns:e,turns:t}){let n=e.flatMap(({id:s,model:o})=>{let r=t.at(-1)?.runs.get(s)?.at(-1)?.headers?.ignored??[];return r.length===0?[]:[`${o} ignores ${r.join(", ")}.`]});return e.length>1&&n.push("A new column begins with the history of the first one."),n}function fi({run:e}){return e===null?l`
      <div class="empty">
        <p>The receipt of an answer: what was ignored, converted and added, by which rule, and the
          request to the vendor.</p>
        <p class="hint"><kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd> shows it without sending.</p>
      </div>
    `:l`
    <div class="receipt">
      <${Is} key=${e.id} run=${e} />
    </div>
  `}function pi(e,t){let n=t.find(({id:i})=>i===e||e.startsWith(`${i}@`)),s=n===void 0?"chat":dt(n);if(B.has(s))return k({kind:s}),J(s,{model:e}),!0;if(s!=="chat")return!1;let[o,...r]=_().columns;return k({kind:"chat",columns:[{...o,model:e},...r]}),!0}function mi(e){let{columns:t}=_(),[n]=e;n===void 0||t.some(({model:s})=>s!=="")||k({columns:t.map(s=>({...s,model:n.id}))})}var Vs={};Re(Vs,{default:()=>Gs});var ot=new Map([["model","Model"],["alias","Alias"],["pinned","Pinned"],["pattern","Pattern"]]);function Ps({data:e,targets:t},n){let s=new Map(t.map(i=>[Mt(i),i])),o=new Map((n?.models??[]).map(i=>[Mt(i),i])),r=i=>{let a=Mt(i),c={...hi,...o.get(a)};return{...s.get(a),...i,state:c,health:en(c)}};return e.map(i=>{let a=(i.steps??[]).map(u=>({...u,targets:u.targets.map(r)})),c=a.flatMap(u=>u.targets);return{...i,steps:a,all:c,...$i(c),health:bi(c)}})}var hi={breaker:"closed",attempts:0,failed_attempts:0,last_failure:null,p50_ms:null,health:null};function Mt({provider:e,upstream:t}){return JSON.stringify([e,t])}function $i(e){let t=e.filter(({attempts:r})=>r>0),n=t.reduce((r,i)=>r+i.attempts,0),s=t.reduce((r,i)=>r+i.failed_attempts,0),o=t.toSorted((r,i)=>i.attempts-r.attempts)[0];return{attempts:n,failed:s,uptime:n===0?null:1-s/n,p50:o?.p50_ms??null,p95:o?.p95_ms??null}}var gi=["ok","unused","slow","silent","limited","degraded","failing"];function bi(e){return gi.find(t=>e.some(n=>n.health===t))??"unused"}function Ds(e,t,n){let s=t.toLowerCase().split(/\s+/).filter(o=>o!=="");return e.filter(o=>{if(n!=="all"&&o.form!==n)return!1;if(s.length===0)return!0;let r=o.all.map(({kind:a,provider:c,upstream:u})=>`${c} ${a} ${u}`),i=[o.id,o.display_name??"",...r].join(" ").toLowerCase();return s.every(a=>i.includes(a))})}function qs({weight:e},{balance:t,targets:n}){if(t!=="weighted"||n.length<2)return;let s=n.reduce((o,r)=>o+(r.weight??1),0);return s===0?void 0:`${Math.round(100*(e??1)/s)} %`}var Fs=new Map([["in_order","the first"],["weighted","by weight"],["p2c","the less loaded of two"],["ttft","the fastest first token"],["throughput","the fastest output"],["price","the cheapest"]]),js=["rate_limited","quota","auth","not_found","unavailable","timeout"];function Bs({when:e}){return e.length===js.length&&js.every(n=>e.includes(n))?"if it fails":e.length===0?"never":`after ${e.join(", ").replaceAll("_"," ")}`}function Us(e,t){if(e===void 0)return;let{read_at:n}=e,s=Math.max(0,Math.round((t/1e3-(n??0))/60));return`listed by the vendor${n===void 0?"":`, read ${s} min ago`}${e.stale?", stale":""}`}var Ce=[...Ie.keys()];function ne(e,t,n,s,o={}){return{id:e,title:t,of:n,text:s,isNumber:!0,...o}}var yi=[{id:"name",title:"Model",of:({id:e})=>e,isRisingFirst:!0},{id:"form",title:"Form",of:({form:e})=>e==="model"?void 0:ot.get(e)},{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({all:e,health:t})=>Ce.indexOf(Hs(e)??t),cell:e=>l`<${vi} entry=${e} />`},{id:"targets",title:"Tried in this order",isProse:!0,card:"c",of:It,cell:e=>l`<span title=${It(e)}>${It(e)}</span>`},ne("input_price","In",({prices:e})=>e?.input,F,{hint:"US dollars per million input tokens"}),ne("output_price","Out",({prices:e})=>e?.output,F,{hint:"US dollars per million output tokens"}),ne("context","Context",e=>e.context_window,z),ne("output","Output",e=>e.max_output_tokens,z),{id:"capabilities",title:"Can",class:"soft",of:e=>ce(e).join(", ")},ne("p50","p50",e=>e.p50,M),ne("p95","p95",e=>e.p95,M),ne("uptime","Uptime",e=>e.uptime,e=>he(e,1)),ne("attempts","Attempts",e=>e.attempts,O,{card:"d",mark:"attempts",hint:"Attempts in 24 hours"})];function Ws({entries:e,opened:t}){return e.length===0?l`<p class="card empty">No name fits.</p>`:l`
    <${Zt}
      label="Models, aliases and pinned names"
      columns=${yi}
      rows=${e}
      idOf=${({id:n})=>n}
      hrefOf=${({id:n})=>`#/models/${encodeURIComponent(n)}`}
      actionsOf=${wi}
      order=${{id:"attempts",isRising:!1}}
      current=${t}
      onClose=${t===void 0?void 0:()=>location.hash="#/models"}
    />
  `}function wi({form:e,id:t}){let n=e!=="pattern";return[...n?[{text:"Try",href:`#/playground?model=${encodeURIComponent(t)}`}]:[],{text:"Targets and facts",href:`#/models/${encodeURIComponent(t)}`},{text:"Its requests",href:Qt({...zt,model:t})},...n?[{text:"Settings for a client",href:`#/clients?model=${encodeURIComponent(t)}`}]:[],{text:"Copy the name",copy:t}]}function It({steps:e}){return e.map(({targets:t})=>[...new Set(t.map(({provider:n})=>n))].join(", ")).join(" \u2192 ")}function Hs(e){return e.map(({health:n})=>n).filter(n=>Ce.indexOf(n)<Ce.indexOf("ok")).toSorted((n,s)=>Ce.indexOf(n)-Ce.indexOf(s))[0]}function vi({entry:{all:e,health:t}}){let n=Hs(e);if(n===void 0||e.length===1)return l`<${Nt} state=${n??t} />`;let s=e.filter(o=>o.health===n).length;return s===e.length?l`<${Nt} state=${n} />`:l`
    <span class=${`st ${n}`}>${s} of ${e.length} ${Ie.get(n).text.toLowerCase()}</span>
  `}function Nt({state:e}){return e==="limited"?l`<span class="st slow">${Ie.get(e).text}</span>`:l`<${Jt} state=${e} />`}function Ks({id:e}){return l`
    <a
      class="button small"
      href=${`#/playground?model=${encodeURIComponent(e)}`}
      aria-label=${`Try ${e}`}
    >Try</a>
  `}function Js({entry:{health:e,state:t}}){return t!==void 0&&t.breaker!=="closed"?l`<${nn} state=${t.breaker} />`:l`<${Nt} state=${e} />`}function _e(e,t){return e==null?"\u2013":t(e)}function Xs({entry:e,now:t}){let{form:n,id:s,steps:o}=e;return l`
    <section class="card model-details" aria-labelledby="model-title">
      <div class="row spread">
        <h2 id="model-title" class="row">
          <span class="mono wrap-anywhere">${s}</span>
          <span class="badge">${ot.get(n)}</span>
        </h2>
        <div class="row">
          <${N} text=${s} label="Copy the name" />
          ${n!=="pattern"&&l`
            <a class="button" href=${`#/clients?model=${encodeURIComponent(s)}`}>
              Copy settings for a client
            </a>
            <${Ks} id=${s} />
          `}
          <${E} icon="close" label="Close" onClick=${()=>location.hash="#/models"} />
        </div>
      </div>
      ${e.description&&l`<p class="soft">${e.description}</p>`}
      <${D} class="facts" facts=${ki(e,t)} />
      <h3>Where its requests go</h3>
      <ol class="route-graph">
        <li class="route-start"><span class="badge accent">Request</span></li>
        ${o.map((r,i)=>l`<${Si} key=${i} step=${r} index=${i} />`)}
      </ol>
      ${e.other_providers&&l`
        <p class="soft small">
          Also at ${e.other_providers.join(", ")}: as <code>${`${e.root}@${e.other_providers[0]}`}</code>, or with <code>pins</code> and <code>balance</code>.
        </p>
      `}
    </section>
  `}function ki(e,t){let{display_name:n,prices:s,source:o}=e;return[["Shown as",n===e.id?void 0:n],["Limits",ge(e).join(", ")||"unknown"],["Prices per million",s?xi(s):"unknown"],["Capabilities",ce(e).join(", ")||"unknown"],["Attempts, 24 hours",`${O(e.attempts)}, ${O(e.failed)} failed`],["Uptime, 24 hours",_e(e.uptime,i=>he(i,1))],["Source",Us(o,t)??"config.yaml"]].filter(([,i])=>i!==void 0)}function xi({cache_write:e,cached_input:t,input:n,output:s}){return[`${F(n)} in`,`${F(s)} out`,...t===void 0?[]:[`${F(t)} cached`],...e===void 0?[]:[`${F(e)} cache write`]].join(", ")}function Si({step:e,index:t}){let{balance:n,targets:s}=e;return l`
    <li class="route-step">
      <span class="route-arrow" aria-hidden="true"></span>
      <span class="route-when small">
        ${t===0?"first":Bs(s[0])}
      </span>
      <div class="route-targets">
        ${s.length>1&&l`
          <span class="soft small">${O(s.length)} equals: ${Fs.get(n)??n}</span>
        `}
        <ul>
          ${s.map(o=>l`
              <${Ci}
                key=${`${o.provider} ${o.upstream}`}
                target=${o}
                share=${qs(o,e)}
              />
            `)}
        </ul>
      </div>
    </li>
  `}function Ci({target:e,share:t}){let{attempts:n,kind:s,provider:o,state:r,upstream:i,uptime:a}=e;return l`
    <li class=${`route-target ${r.breaker==="closed"?"":"broken"}`}>
      <div class="row spread">
        <strong class="mono wrap-anywhere">${i}</strong>
        <${Js} entry=${e} />
      </div>
      <span class="soft small">
        ${o}${s===o?"":` (${s})`}${t&&l`${" \xB7 "}<strong>${t}</strong>`}
      </span>
      <span class="faint small">
        ${n>0?`p50 ${_e(e.p50_ms,M)}, p95 ${_e(e.p95_ms,M)}, uptime ${_e(a,c=>he(c,1))}`:"no attempt in 24 hours"}
        ${r.tries_again_in_ms>0&&`; tries again in ${M(r.tries_again_in_ms)}`}
      </span>
    </li>
  `}var _i=[["all","All"],["model","Models"],["alias","Aliases"],["pinned","Pinned"]];function Gs({route:e}){let t=le(),{data:n,error:s,isLoading:o,reload:r}=P(a=>A(ut(t,"routes"),{signal:a}),[t.hasAdmin]),{state:i}=tn(ut(t,"live"));return l`
    <div class="view" data-view="models">
      <${Q}
        title="Models"
        note=${t.hasAdmin?"All names.":"The names that your key may use."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${r}
          disabled=${o}>Refresh</button>
      <//>
      <${C} error=${s} title="The models cannot be loaded" />
      ${n===void 0?!s&&l`<${T} text="Loading the models" />`:l`<${Ai} routes=${n} live=${i} opened=${e.path[0]} />`}
    </div>
  `}function Ai({routes:e,live:t,opened:n}){let[s,o]=g(""),[r,i]=g("all"),a=JSON.stringify((t?.models??[]).map(f=>[f.provider,f.upstream,f.breaker,f.attempts,f.failed_attempts,Math.ceil((f.tries_again_in_ms??0)/1e3)])),c=L(()=>Ps(e,t),[e,a]),u=L(()=>Ds(c,s,r),[c,s,r]),d=L(()=>l`<${Ws} entries=${u} opened=${n} />`,[u,n]),p=c.find(({id:f})=>f===n);return l`
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
      <${q} label="Names" value=${r} options=${_i} onChange=${i} />
      <span class="soft small" role="status">
        ${O(u.length)} of ${O(c.length)} names
      </span>
    </div>
    ${n!==void 0&&(p===void 0?l`<p class="notice" role="status">There is no model <code>${n}</code>.</p>`:l`<${Xs} entry=${p} now=${Date.parse(t?.at??e.since)} />`)}
    ${d}
  `}var zs={};Re(zs,{default:()=>Ys});var Oi=[["linux","Linux"],["darwin","macOS"],["windows","Windows"]];function Ys({route:e}){let{hasService:t}=le(),[n,s]=g(Ei);return l`
    <div class="view" data-view="clients">
      <${Q} title="Clients" note="What each client is set to, to use this gateway.">
        <${q} label="Operating system" value=${n} options=${Oi} onChange=${s} />
      <//>
      ${t?l`<${Ti} os=${n} model=${e.query.get("model")??""} />`:l`
        <p class="card empty">The settings name the models of a service key. Sign in with one.</p>
      `}
    </div>
  `}function Ei(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Ti({os:e,model:t}){let n=new URLSearchParams({os:e,origin:location.origin,...t!==""&&{model:t}}),{data:s,error:o}=P(c=>A(`/v1/clients?${n}`,{signal:c}),[e,t]),[r,i]=g("");if(o)return l`<${C} error=${o} title="The settings cannot be shown" />`;if(!s)return l`<${T} text="Loading the settings" />`;if(s.data.length===0)return l`<p class="card empty">This key may use no model that answers chats.</p>`;let a=s.data.find(c=>c.id===r)??s.data[0];return l`
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
      <${Ri} key=${`${e} ${a.id}`} client=${a} />
    </div>
  `}function Ri({client:{id:e,title:t,source:n,checked:s,files:o,steps:r}}){return l`
    <section class="card stack padded client-settings" aria-label=${t}>
      ${o.map(({path:i,text:a})=>l`
          <div key=${i} class="stack">
            <div class="row spread">
              <code>${i}</code>
              <${N} text=${a} label=${`Copy settings for ${t}`} class="small" />
            </div>
            <pre class="code-box" tabindex="0" aria-label=${`Content of ${i}`}>${a}</pre>
          </div>
        `)}
      ${r.length>0&&l`
        <div class="row spread">
          <strong>${o.length===0?"What to enter":"Besides"}</strong>
          <${N}
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
  `}var ho={};Re(ho,{default:()=>mo});function Zs(e,t){let[n,s]=[e.split(`
`),t.split(`
`)],o=0;for(;o<n.length&&o<s.length&&n[o]===s[o];)o++;let r=0;for(;r<n.length-o&&r<s.length-o&&n[n.length-1-r]===s[s.length-1-r];)r++;let i=Mi(n.slice(o,n.length-r),s.slice(o,s.length-r));if(i.length===0)return[];let a=[],[c,u]=[o,o];for(let{sign:f,text:m}of i)a.push({sign:f,text:m,line:f==="-"?c+1:u+1}),f!=="+"&&c++,f!=="-"&&u++;let d=s.slice(Math.max(0,o-3),o).map((f,m,{length:h})=>({sign:" ",text:f,line:o-h+m+1})),p=s.slice(u,u+3).map((f,m)=>({sign:" ",text:f,line:u+m+1}));return Ii([...d,...a,...p])}function Mi(e,t){if(e.length*t.length>4e6)return Qs(e,t);let n=t.length+1,s=new Uint32Array((e.length+1)*n);for(let a=e.length-1;a>=0;a--)for(let c=t.length-1;c>=0;c--)s[a*n+c]=e[a]===t[c]?s[(a+1)*n+c+1]+1:Math.max(s[(a+1)*n+c],s[a*n+c+1]);let o=[],[r,i]=[0,0];for(;r<e.length&&i<t.length;)e[r]===t[i]?(o.push({sign:" ",text:e[r]}),r++,i++):s[(r+1)*n+i]>=s[r*n+i+1]?o.push({sign:"-",text:e[r++]}):o.push({sign:"+",text:t[i++]});return[...o,...Qs(e.slice(r),t.slice(i))]}function Qs(e,t){return[...e.map(n=>({sign:"-",text:n})),...t.map(n=>({sign:"+",text:n}))]}function Ii(e){let t=[],n=-1/0;for(let[s,o]of e.entries())e.slice(Math.max(0,s-3),s+3+1).some(({sign:i})=>i!==" ")&&(s!==n+1&&t.push([]),t.at(-1).push(o),n=s);return t}var Ni=new Map([["providers","Provider"],["models","Model"],["aliases","Alias"],["pins","Pin"],["limits","Limit"],["keys","Service key"],["admin_keys","Admin key"],["settings","Setting"]]),Li={added:"good",removed:"bad",changed:"accent"};function rt({check:e,onGo:t}){let{problems:n,more_problems:s}=e;return n.length===0?l`<p class="row"><span class="badge good">valid</span> No problems</p>`:l`
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
    ${s>0&&l`<p class="hint">${O(s)} more problems</p>`}
  `}function it({check:e}){let{changes:t,more_changes:n}=e;return t.length===0?l`<p class="soft">It changes nothing that is in use.</p>`:l`
    <${Me} label="Changes of the configuration in use" class="config-changes">
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
              <td>${Ni.get(s)??s}</td>
              <th scope="row" class="mono wrap-anywhere">${o}</th>
              <td>
                <span class=${`badge ${Li[r]}`}>${r}</span>
                ${i!==void 0&&l`<del class="mono wrap-anywhere">${i}</del>`}
                ${a!==void 0&&l`<ins class="mono wrap-anywhere">${a}</ins>`}
              </td>
            </tr>
          `)}
      </tbody>
      <//>
    ${n>0&&l`<p class="hint">${O(n)} more changes</p>`}
  `}function Lt({before:e,after:t,label:n}){let s=Zs(e,t);return s.length===0?l`<p class="soft">The texts are the same.</p>`:l`
    <div class="line-diff" role="group" aria-label=${n} tabindex="0">
      ${s.map((o,r)=>l`
          <div key=${r} class="line-group">
            ${o.map(({sign:i,text:a,line:c},u)=>l`
                <div key=${u} class=${ji[i]}>
                  <span class="faint">${c}</span>
                  <span class="only-read">${Pi[i]}</span>
                  <code>${`${i} ${a}`}</code>
                </div>
              `)}
          </div>
        `)}
    </div>
  `}var ji={"+":"added","-":"removed"," ":""},Pi={"+":"added","-":"removed"," ":""};var Di=/^(\s*)((?:- +)*)(?:(["']?)([^\s"'#,{}[\]][^"'#,{}[\]]*?)\3\s*:(?=\s|$))?\s*(.*)$/;function to(e,t){let n=e.split(`
`),s=e.slice(0,t).split(`
`).length-1,o=e.slice(0,t).split(`
`)[s];if(/(?:^|\s)#/.test(o)||o.includes("	"))return;let r=fe(o),{steps:i,prefix:a,isKey:c,siblings:u}=qi(r),{path:d,providerLine:p,above:f}=Fi(n,s,r),m=i.length>0||r.key!==void 0;return{path:[...d,...i],prefix:a,isKey:c,siblings:u??(m?[]:[...f,...Ui(n,s,r.column)]),kind:d[0]==="providers"||i[0]==="providers"?Wi(n,p??s):void 0}}function fe(e){let[,t,n,,s,o]=Di.exec(e)??["","","","",void 0,""];return{indent:t.length,marks:n.length,column:t.length+n.length,key:s,rest:o}}function qi({key:e,rest:t}){let n=e===void 0?[]:[e],s=[],o=0;for(let{0:u,index:d}of t.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[{}\],]/g)){if(u.length>1)continue;let p=/([^\s"'{},[\]:]+)["']?\s*:\s*$/.exec(t.slice(o,d))?.[1];if(u==="{"||u==="[")p!==void 0&&n.push(p),u==="["&&n.push("[]"),s.push({mark:u,count:(p===void 0?0:1)+(u==="["?1:0),keys:[]});else if(u!==","){let{count:f}=s.pop()??{count:0};n.splice(n.length-f)}if(u===","&&s.length>0){let f=/^\s*["']?([^\s"'{},[\]:]+)["']?\s*:/.exec(t.slice(o,d))?.[1];f!==void 0&&s.at(-1).keys.push(f)}o=d+1}let r=t.slice(o),i=s.at(-1),a=i?.mark==="{"?/^\s*["']?([^\s"':]+)["']?\s*:\s+(.*)$/.exec(r):null;a!==null&&n.push(a[1]);let c=a!==null||i?.mark==="["||i===void 0&&e!==void 0;return{steps:n,prefix:(a?.[2]??r).trimStart().replace(/^["']/,""),isKey:!c,siblings:i?.mark==="{"?i.keys:void 0}}function Fi(e,t,{indent:n,marks:s,column:o}){let r=[],i=[],a=o,c=s>0;c&&(r.push("[]"),a=n+1);for(let u=t-1;u>=0&&a>0;u--){let d=e[u];if(/^\s*(#|$)/.test(d))continue;let{indent:p,marks:f,column:m,key:h,rest:b}=fe(d);if(m===a&&!c&&h!==void 0&&r.length===0&&i.push(h),f>0&&m===a&&!c){r.unshift("[]"),a=p+1,c=!0;continue}if(m>=a||h===void 0||/^[^&!#\s]/.test(b)){if(m<a&&h===void 0)break;continue}r.unshift(h),a=m,c=!1,f>0&&(r.unshift("[]"),a=p+1,c=!0)}return{path:r,above:i,providerLine:Bi(e,t,r)}}function Bi(e,t,[n,s]){if(!(n!=="providers"||s===void 0))for(let o=t;o>=0;o--){let{key:r,column:i}=fe(e[o]);if(r===s&&i>0)return o}}function Ui(e,t,n){let s=[];for(let o of e.slice(t+1)){if(/^\s*(#|$)/.test(o))continue;let r=fe(o);if(r.column<n||r.marks>0)break;r.column===n&&r.key!==void 0&&s.push(r.key)}return s}function Wi(e,t){let{column:n}=fe(e[t]??"");for(let s=t;s<e.length;s++){if(s>t&&e[s].trim()!==""&&fe(e[s]).column<=n)return;let o=/(?:^|[\s{,])kind:\s*["']?([\w-]+)/.exec(e[s])?.[1];if(o!==void 0)return o}}function no(e,t){if(t===void 0)return[];let{path:n,kind:s,isKey:o,prefix:r,siblings:i}=t,a=at(e,e);for(let[d,p]of n.entries())if(a=a.flatMap(f=>at(Hi(f,p),e)),n[0]==="providers"&&d===1&&s!==void 0){let f=a.filter(({properties:m})=>m?.kind?.const===s);f.length>0&&(n[2]??"")!=="kind"&&(a=f)}let c=o?Ki(a,e,i):Ji(a),u=r.toLowerCase();return c.filter(({text:d})=>d.toLowerCase().includes(u)&&d!==r).sort((d,p)=>eo(d,u)-eo(p,u)).slice(0,50)}function eo({text:e},t){return e.toLowerCase().startsWith(t)?0:1}function Hi({properties:e,additionalProperties:t,items:n},s){return s==="[]"?n:e!==void 0&&Object.hasOwn(e,s)?e[s]:typeof t=="object"?t:void 0}function at(e,t){if(typeof e!="object"||e===null)return[];let{$ref:n,anyOf:s=[],oneOf:o=[],allOf:r=[]}=e,a=[...n===void 0?[]:[n.split("/").slice(1).reduce((c,u)=>c?.[u],t)],...s,...o,...r];return[e,...a.flatMap(c=>at(c,t))]}function Ki(e,t,n){let s=new Map;for(let{properties:o={}}of e)for(let[r,i]of Object.entries(o)){if(n.includes(r)||s.has(r))continue;let a=at(i,t),c=a.some(({type:d})=>d==="object"||d==="array")&&!a.some(({type:d})=>d==="string"),u=a.find(({description:d})=>d)?.description??"";s.set(r,{text:r,insert:c?`${r}:`:`${r}: `,hint:u})}return[...s.values()]}function Ji(e){let t=new Map;for(let{const:n,enum:s=[],type:o,default:r}of e){let i=[...n===void 0?[]:[n],...s,...o==="boolean"?[!0,!1]:[]];for(let a of i){let c=String(a);t.set(c,{text:c,insert:c,hint:a===r?"the default":""})}}return[...t.values()]}var jt=20;function oo({text:e,schema:t,problems:n,target:s,onInput:o}){let r=S(null),i=S(null),[a,c]=g(void 0);v(()=>{s!==void 0&&Gi(r.current,s)},[s]),Pt(()=>{a!==void 0&&document.getElementById(`config-option-${a.active}`)?.scrollIntoView({block:"nearest"})},[a]);let u=h=>{let{selectionStart:b,selectionEnd:$,value:w,scrollTop:y,scrollLeft:R}=r.current,W=b===$&&t?to(w,b):void 0,Ee=h||(W?.prefix??"")!==""?no(t,W):[];if(Ee.length===0)return c(void 0);let x=w.slice(0,b).split(`
`);c({options:Ee,active:0,length:W.prefix.length,top:x.length*jt-y,column:x.at(-1).length-W.prefix.length,scrollLeft:R})},d=({insert:h})=>{let{selectionStart:b}=r.current;r.current.setSelectionRange(b-a.length,b),c(void 0),so(h)},p=h=>{let{key:b,ctrlKey:$,altKey:w,metaKey:y}=h;if($&&b===" ")return h.preventDefault(),u(!0);if(!($||w||y)){if(a!==void 0){let{options:R,active:W}=a,ie={ArrowDown:1,ArrowUp:R.length-1}[b];if(ie!==void 0)return h.preventDefault(),c({...a,active:(W+ie)%R.length});if(b==="Enter"||b==="Tab")return h.preventDefault(),d(R[W]);if(b==="Escape")return h.stopPropagation(),c(void 0)}b==="Enter"&&(h.preventDefault(),so(`
${Xi(r.current)}`))}},f=new Set(n.map(({line:h})=>h)),m=e.split(`
`).length;return l`
    <div class="yaml-editor">
      <div class="yaml-lines" ref=${i} aria-hidden="true">
        <pre>${Array.from({length:m},(h,b)=>b+1).join(`
`)}</pre>
        ${[...f].filter(Boolean).map(h=>l`
            <span key=${h} style=${{top:`${(h-1)*jt}px`}}>${h}</span>
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
  `}function so(e){document.execCommand("insertText",!1,e)}function Xi({value:e,selectionStart:t}){let n=e.slice(0,t).split(`
`).at(-1),[,s,o]=/^(\s*)((?:- )*)/.exec(n),r=s+" ".repeat(o.length);return/:\s*$/.test(n)?`${r}  `:r}function Gi(e,{line:t,column:n=1}){let s=e.value.split(`
`),o=s.slice(0,t-1).reduce((r,{length:i})=>r+i+1,0);e.focus(),e.setSelectionRange(o+n-1,o+(s[t-1]??"").length),e.scrollTop=Math.max(0,(t-5)*jt),e.scrollLeft=0}var Vi=(e,t)=>e.join(`
`)===t.join(`
`);function Ae(e,t){return e.fields.find(n=>Vi(n.path,t))}function ro(e,t){let n=t.join(".");return e.kept.some(s=>s===n||n.startsWith(`${s}.`))}function Yi(e,t,n,s){let o=[...e.path,...t],r=n.trim();return r===""?{path:o,remove:!0}:{path:o,value:s&&/^\d+(\.\d+)?$/.test(r)?Number(r):r}}function U({object:e,path:t,label:n,hint:s,isNumber:o,options:r,isRequired:i,onEdit:a}){let c=j("form"),u=Ae(e,t),d=ro(e,t)||u?.items!==void 0,p=String(u?.value??""),m={id:c,onChange:({target:h})=>{h.value.trim()===""&&(i||u===void 0)?h.value=p:h.value!==p&&a([Yi(e,t,h.value,o)])},"aria-describedby":s||d?`${c}-hint`:void 0};return l`
    <div class="field">
      <label for=${c}>${n}</label>
      ${d&&l`<input id=${c} disabled aria-describedby=${`${c}-hint`} />`}
      ${!d&&r===void 0&&l`
        <input
          ...${m}
          value=${p}
          inputmode=${o?"decimal":void 0}
          autocomplete="off"
          spellcheck=${!1}
        />
      `}
      ${!d&&r!==void 0&&l`
        <select ...${m} value=${p}>
          ${!r.includes(p)&&l`<option value=${p}>${p}</option>`}
          ${r.map(h=>l`<option key=${h} value=${h}>${h}</option>`)}
        </select>
      `}
      ${(s||d)&&l`
        <span class="hint" id=${`${c}-hint`}>
          ${d?"Only the text can change it.":s}
        </span>
      `}
    </div>
  `}function zi(e,t,n){let s=Array.from({length:e},(o,r)=>r);return n<0||n>=e||s.splice(n,0,...s.splice(t,1)),s}function lt({object:e,path:t,label:n,isOrdered:s,suggestions:o=[],onEdit:r}){let i=j("list"),a=S(null),c=S(void 0),u=S(void 0),d=Ae(e,t),p=d?.items??(d===void 0?[]:[{name:String(d.value),is_text:!1}]),f=p.map((b,$)=>$),m=b=>{let $=[...e.path,...t];r([d===void 0?{path:$,value:b}:{path:$,items:b}])},h=(b,$)=>{b===$||$<0||$>=p.length||(c.current=`[data-at="${$}"][data-step="${Math.sign($-b)}"]`,m(zi(p.length,b,$)))};return v(()=>{c.current!==void 0&&a.current?.querySelector(c.current)?.focus(),c.current=void 0},[p.map(({name:b})=>b).join(`
`)]),ro(e,t)?l`<p class="hint">${n}: only the text can change this list.</p>`:l`
    <div class="field" role="group" aria-labelledby=${i}>
      <span class="label" id=${i}>${n}</span>
      <ol class="config-chain" ref=${a}>
        ${p.map((b,$)=>l`
            <li
              key=${`${b.name} ${$}`}
              draggable=${s&&p.length>1}
              onDragStart=${w=>{u.current=$,w.dataTransfer?.setData("text/plain",b.name)}}
              onDragOver=${w=>u.current!==void 0&&w.preventDefault()}
              onDragEnd=${()=>u.current=void 0}
              onDrop=${w=>{w.preventDefault(),u.current!==void 0&&h(u.current,$),u.current=void 0}}
            >
              <span class="mono"><${Ht} text=${b.name} /></span>
              ${b.is_text&&l`
                <span class="badge" title="Its other members stay as they are in the text">text</span>
              `}
              ${s&&[["up",-1],["down",1]].map(([w,y])=>l`
                  <${E}
                    key=${w}
                    icon=${w}
                    data-at=${$}
                    data-step=${y}
                    label=${`Move ${b.name} ${w}`}
                    disabled=${p[$+y]===void 0}
                    onClick=${()=>h($,$+y)}
                  />
                `)}
              <${E}
                icon="close"
                label=${`Remove ${b.name}`}
                disabled=${p.length<2}
                onClick=${()=>m(f.filter(w=>w!==$))}
              />
            </li>
          `)}
      </ol>
      <${Qi}
        label=${n}
        suggestions=${o}
        onAdd=${b=>m([...f,b])}
      />
    </div>
  `}function Qi({label:e,suggestions:t,onAdd:n}){let s=j("names"),[o,r]=g("");return l`
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
  `}var Zi=400,ct=[{id:"providers",label:"Providers",one:"a provider"},{id:"aliases",label:"Aliases",one:"an alias"},{id:"server",label:"Keys",one:"a key"},{id:"limits",label:"Limits",one:"limits"}];function io({text:e,schema:t,onEdit:n,onGo:s}){let{objects:o,error:r,isOld:i,apply:a}=ea(e,n),[c,u]=g(ct[0]),[d,p]=g(void 0),f=j("object"),m=(o??[]).filter(({path:y})=>y[0]===c.id),h=m.find(({path:y})=>y.join(`
`)===d)??m[0],b=new Map(ct.map(({id:y})=>[y,(o??[]).filter(({path:R})=>R[0]===y).length])),$=y=>{u(ct.find(R=>R.id===y)),p(void 0)},w=d==="";return l`
    <section class="card padded stack config-forms" aria-labelledby="forms-title">
      <div class="row spread">
        <h2 id="forms-title">Forms</h2>
        <div role="status">${i&&!r&&l`<${T} text="Reading" />`}</div>
      </div>
      <${q}
        label="Section"
        value=${c.id}
        options=${ct.map(({id:y,label:R})=>[y,`${R} ${b.get(y)}`])}
        onChange=${$}
      />
      <${C} error=${r} title="The form cannot change the text" />
      ${o&&l`
        <div class="row nowrap">
          <div class="field config-object">
            <label for=${f}>Object</label>
            <select
              id=${f}
              value=${w?"":h?.path.join(`
`)}
              onChange=${({target:y})=>p(y.value)}
            >
              ${m.map(y=>l`
                  <option key=${y.path.join(`
`)} value=${y.path.join(`
`)}>
                    ${y.name===""?"Defaults of all keys":y.name}
                  </option>
                `)}
              <option value="">Add ${c.one} …</option>
            </select>
          </div>
          ${h&&!w&&l`
            <button type="button" class="link" onClick=${()=>s({line:h.first_line})}>
              ${h.first_line===h.last_line?`Line ${h.first_line}`:`Lines ${h.first_line}\u2013${h.last_line}`}
            </button>
          `}
        </div>
        ${h&&!w?l`
            <${ta}
              key=${h.path.join(`
`)}
              ...${{section:c.id,object:h,objects:o,schema:t}}
              onEdit=${a}
              onRemove=${()=>a([{path:h.path,remove:!0}])}
            />
          `:l`
            <${ua}
              key=${c.id}
              ...${{section:c,listed:m,schema:t}}
              onAdd=${async y=>{await a([y])&&p(y.path.join(`
`))}}
            />
          `}
      `}
    </section>
  `}function ea(e,t){let[n,s]=g({}),o=S(e);o.current=e;let r=(c,u)=>A("/v1/admin/config/form",{body:{text:e,edits:c},signal:u}),i=n.text!==e;return v(()=>{if(!i)return;let c=new AbortController,{signal:u}=c,d=setTimeout(()=>{r([],u).then(({objects:p})=>u.aborted||s({text:e,objects:p}),p=>u.aborted||s(f=>({...f,text:e,error:p})))},n.text===void 0?0:Zi);return()=>{clearTimeout(d),c.abort()}},[e]),{...n,isOld:i,apply:async c=>{if(i)return!1;try{let u=await r(c);return o.current!==e?!1:(s({text:u.text,objects:u.objects}),t(u.text),!0)}catch(u){return s(d=>({...d,error:u})),!1}}}}function ta({section:e,object:t,objects:n,schema:s,onEdit:o,onRemove:r}){let i={object:t,schema:s,objects:n,onEdit:o},a={providers:oa,aliases:ra,server:ia,limits:la}[e],c=t.kept.filter(u=>u!=="");return l`
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
  `}var na="A reference such as ${OPENAI_API_KEY}. A provider whose variable is not set is disabled.",sa=new Set(["kind","base_url","api_key","models"]);function oa({object:e,schema:t,onEdit:n}){let s={object:e,onEdit:n},o=e.fields.filter(({path:r,items:i})=>i===void 0&&!sa.has(r[0]));return l`
    <${U} ...${s} path=${["kind"]} label="Kind" options=${lo(t)} isRequired />
    <${U}
      ...${s}
      path=${["base_url"]}
      label="Base URL"
      hint="Empty: the default of its kind, if there is one"
    />
    <${U}
      ...${s}
      path=${["api_key"]}
      label="API key"
      hint=${na}
    />
    ${o.map(({path:r,value:i})=>l`
        <${U}
          key=${r.join(".")}
          ...${s}
          path=${r}
          label=${r.join(".")}
          isNumber=${typeof i=="number"}
        />
      `)}
    <${lt} ...${s} path=${["models"]} label="Models" isOrdered />
  `}function ra({object:e,objects:t,onEdit:n}){let o=e.fields.some(({path:i})=>i.length>0)||e.kept.some(i=>i!=="")?["targets"]:[],r=e.fields.filter(({path:[i]})=>i!==void 0&&i!=="targets");return l`
    <${lt}
      ...${{object:e,path:o,onEdit:n}}
      label="Targets, tried in this order"
      suggestions=${co(t)}
      isOrdered
    />
    ${r.map(({path:i,value:a,items:c})=>c===void 0&&l`
        <${U}
          key=${i.join(".")}
          ...${{object:e,path:i,onEdit:n}}
          label=${i.join(".")}
          isNumber=${typeof a=="number"}
        />
      `)}
  `}function ia({object:e,objects:t,schema:n,onEdit:s}){let o={object:e,onEdit:s},r=[["name","Name"],["owner","Owner"],["team","Team"],["note","Note"]],i=Ae(e,["budget","usd"])!==void 0,a=c=>{let u=[...e.path,"budget"];c[0].remove?s([{path:u,remove:!0}]):s(i?c:[{path:u,value:{usd:c[0].value,per:"month"}}])};return l`
    <div class="config-pair">
      ${r.map(([c,u])=>l`
          <${U}
            key=${c}
            ...${o}
            path=${[c]}
            label=${u}
            isRequired=${c==="name"}
          />
        `)}
    </div>
    <${U} ...${o} path=${["key"]} label="Key" hint="A reference, or sha256:…"
      isRequired />
    <${lt}
      ...${o}
      path=${["models"]}
      label="Models that it may use; all if none is listed"
      suggestions=${co(t)}
    />
    <div class="config-pair">
      <${U}
        object=${e}
        onEdit=${a}
        path=${["budget","usd"]}
        label="Budget in USD"
        isNumber
      />
      ${i&&l`
        <${U} ...${o} path=${["budget","per"]} label="Per" options=${aa} isRequired />
      `}
    </div>
    <${ao} ...${{object:e,schema:n,onEdit:s}} path=${["limits"]} />
  `}var aa=["hour","day","week","month","total"];function la({object:e,schema:t,onEdit:n}){return l`<${ao} ...${{object:e,schema:t,onEdit:n}} path=${[]} />`}function ao({object:e,schema:t,path:n,onEdit:s}){let o=Object.entries(t?.properties?.limits?.properties??{}).filter(([r])=>r!=="models");return l`
    <div class="config-pair">
      ${o.map(([r,{description:i}])=>l`
          <${U}
            key=${r}
            ...${{object:e,onEdit:s}}
            path=${[...n,r]}
            label=${i.split(",")[0]}
            isNumber
          />
        `)}
    </div>
  `}var ca={providers:["API key, such as ${OPENAI_API_KEY}",(e,t)=>({kind:t,...e!==""&&{api_key:e}})],aliases:["First target",e=>e],server:["Key, such as ${TEAM_KEY}",(e,t,n)=>({name:n,key:e})],limits:["Requests per minute",e=>({requests_per_minute:/^\d+$/.test(e)?Number(e):e})]};function ua({section:e,listed:t,schema:n,onAdd:s}){let o=[j("new"),j("new"),j("new")],[r,i]=g(""),[a,c]=g("openai"),[u,d]=g(""),[p,f]=ca[e.id],m=e.id==="limits",h=t.some(y=>y.name===r.trim()),b=!h&&(r.trim()!==""||m)&&(e.id==="providers"||u.trim()!==""),$=y=>{y.preventDefault();let R={server:["server","keys",t.length],limits:r.trim()===""?["limits"]:["limits","models",r.trim()]}[e.id]??[e.id,r.trim()];b&&s({path:R,value:f(u.trim(),a,r.trim())})},w={autocomplete:"off",spellcheck:!1};return l`
    <form class="stack" onSubmit=${$}>
      <div class="field">
        <label for=${o[0]}>${m?"Model":"Name"}</label>
        <input
          ...${w}
          id=${o[0]}
          value=${r}
          onInput=${({target:y})=>i(y.value)}
        />
        ${m&&l`<span class="hint">Empty: the defaults of all keys</span>`}
        ${h&&l`<span class="fault">The text has it already.</span>`}
      </div>
      ${e.id==="providers"&&l`
        <div class="field">
          <label for=${o[1]}>Kind</label>
          <select id=${o[1]} value=${a} onChange=${({target:y})=>c(y.value)}>
            ${lo(n).map(y=>l`<option key=${y} value=${y}>${y}</option>`)}
          </select>
        </div>
      `}
      <div class="field">
        <label for=${o[2]}>${p}</label>
        <input
          ...${w}
          id=${o[2]}
          value=${u}
          onInput=${({target:y})=>d(y.value)}
        />
      </div>
      <div><button type="submit" disabled=${!b}>Add to the text</button></div>
    </form>
  `}function lo(e){return(e?.properties?.providers?.additionalProperties?.oneOf??[]).map(({properties:n})=>n.kind.const).sort()}function co(e){let t=e.filter(({path:n})=>n[0]==="providers").flatMap(n=>(Ae(n,["models"])?.items??[]).flatMap(({name:s})=>[s,`${s}@${n.name}`]));return[...new Set(t)].sort()}function uo(){let{data:e,error:t}=P(o=>A("/v1/admin/providers",{signal:o}),[]),[n,s]=g(void 0);return l`
    <section class="card titled" aria-labelledby="tests-title">
      <h2 id="tests-title">Test a provider</h2>
      <${C} error=${t} title="The providers cannot be listed" />
      ${!e&&!t&&l`<${T} />`}
      ${e&&l`
        <${Me} label="Providers">
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
      ${n&&l`<${da} id=${n} onClose=${()=>s(void 0)} />`}
    </section>
  `}function da({id:e,onClose:t}){let n=`/v1/admin/providers/${encodeURIComponent(e)}/test`,{data:s,error:o}=P(f=>A(n,{signal:f}),[e]),[r,i]=g(void 0),[a,c]=g(void 0),u=r??s?.models[0]?.id??"",d=s?.models.find(f=>f.id===u)?.max_cost_usd,p=async f=>{if(f.preventDefault(),a?.isBusy)return;let m=performance.now();c({isBusy:!0});try{let h=await ae(n,{body:{model:u}});c({headers:h.headers,answer:await h.json()})}catch(h){c({failure:h,ms:performance.now()-m})}};return l`
    <${X} title=${`Test ${e}`} onClose=${t} class="narrow">
      <form class="stack" onSubmit=${p}>
        <${C} error=${o} title="It cannot be tested" />
        ${!s&&!o&&l`<${T} />`}
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
            It sends <q>${s.prompt}</q> and asks for ${O(s.max_output_tokens)} token. Cost:
            ${" "}<strong>${d==null?"unknown, its price is not known":`at most ${H(d)}`}</strong>.
          </p>
        `}
        <div role="status" class="stack">
          ${a?.isBusy&&l`<${T} text="Waiting for the provider" />`}
          ${a?.answer&&l`<${fa} ...${a} />`}
        </div>
        ${a?.failure&&l`
          <${C} error=${a.failure} title=${`Failed after ${M(a.ms)}`} />
        `}
        <div class="row end">
          <button type="button" onClick=${t}>Close</button>
          <button type="submit" class="primary" disabled=${u===""||a?.isBusy}>
            Send the test
          </button>
        </div>
      </form>
      <//>
  `}function fa({answer:e,headers:t}){let n=t.get("x-sluice-cost-usd"),{usage:s}=e,o=[["Status","200"],["Latency",M(e.ms)],["Answer",e.answer===""?"no text":e.answer],["Tokens",s?`${O(s.prompt_tokens)} in, ${O(s.completion_tokens)} out`:"unknown"],["Cost",n===null?"unknown":H(Number(n))],["Attempts",t.get("x-sluice-attempts")??"1"]];return l`
    <p class="row"><span class="badge good">works</span> ${e.model} answered.</p>
    <${D} class="config-state" facts=${o} />
  `}function fo({config:e,base:t,text:n,onSaved:s,onReload:o,onClose:r}){let{data:i,error:a}=P(h=>A("/v1/admin/config/check",{body:{text:n},signal:h}),[n]),[c,u]=g({}),{isBusy:d,error:p}=c,f=p?.code==="config_changed",m=async()=>{if(!d){u({isBusy:!0});try{s(await A("/v1/admin/config",{body:{text:n,hash:e.hash}}))}catch(h){u({error:h})}}};return l`
    <${X} title="Review the changes" onClose=${r} class="wide">
      <div class="stack wide">
        <${C} error=${a} title="Not checked" />
        ${!i&&!a&&l`<${T} text="Checking" />`}
        ${i&&!i.valid&&l`<${rt} check=${i} onGo=${r} />`}
        ${i?.valid&&l`
          <section class="stack">
            <h3>Changes of the configuration in use</h3>
            <${it} check=${i} />
          </section>
        `}
        <section class="stack">
          <h3>Lines of the file</h3>
          <${Lt} before=${t} after=${n} label="Lines that differ" />
        </section>
        <${C} error=${p} title="Not saved" />
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
  `}function po({version:e,base:t,onUse:n,onClose:s}){let o=`/v1/admin/config/versions/${encodeURIComponent(e.id)}`,{data:r,error:i}=P(a=>A(o,{signal:a}),[o]);return l`
    <${X} title=${`Until ${$e(e.replaced_at)}`} onClose=${s} class="wide">
      <div class="stack">
        <p class="soft">It was replaced by ${e.by}. What it would change in the file:</p>
        <${C} error=${i} title="The text cannot be shown" />
        ${!r&&!i&&l`<${T} />`}
        ${r&&l`
          <${Lt} before=${t} after=${r.text} label="Lines that differ" />
        `}
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="button" class="primary" disabled=${!r} onClick=${()=>n(r.text)}>
            Put it into the editor
          </button>
        </div>
      </div>
      <//>
  `}var pa=600,Oe;function mo(){let{hasAdmin:e}=le();return l`
    <div class="view" data-view="config">
      ${e?l`<${ma} />`:l`
        <${Q} title="Config" />
        <${Vt} what="The configuration needs an admin key." />
      `}
    </div>
  `}function ma(){let{data:e,error:t,reload:n,setData:s}=P(o=>A("/v1/admin/config",{signal:o}),[]);return e?l`<${ha} config=${e} onReload=${n} onConfig=${s} />`:l`
      <${Q} title="Config" />
      <${C} error=${t} title="The configuration cannot be shown" />
      ${!t&&l`<${T} text="Loading the configuration" />`}
    `}function ha({config:e,onReload:t,onConfig:n}){let s=e.file_text??e.text,[o,r]=g(Oe??s),[i,a]=g(void 0),[c,u]=g(""),d=o!==s,p=m=>{Oe=m,r(m),u("")};v(()=>{d||(Oe=void 0);let m=h=>d&&h.preventDefault();return addEventListener("beforeunload",m),()=>removeEventListener("beforeunload",m)},[d]),v(()=>{Oe===void 0&&r(s)},[s]);let f=m=>{Oe=void 0,r(m.file_text??m.text),n(m),a(void 0),u(m.valid?"Saved and in use.":"Saved, but not in use.")};return l`
    <${Q} title="Config" note=${e.source}>
      <button type="button" onClick=${t} aria-keyshortcuts="Alt+Shift+R">
        <${I} name="retry" /> Refresh
      </button>
      <${N} text=${()=>o} label="Copy" class="" />
      <button type="button" onClick=${()=>Yt("config.yaml",o,"application/yaml")}>
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
    <${$a} config=${e} text=${o} onEdit=${p} />
    <p role="status" class=${c===""?"only-read":"row"}>
      ${c!==""&&l`<span class="badge good">saved</span> ${c}`}
    </p>
    <${ga} text=${o} loadedAt=${e.loaded_at} isEdited=${d} onEdit=${p} />
    <${ya} versions=${e.versions} onOpen=${m=>a({type:"version",version:m})} />
    <${uo} />
    ${i?.type==="save"&&l`
      <${fo}
        ...${{config:e,base:s,text:o}}
        onSaved=${f}
        onReload=${()=>{t(),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
    ${i?.type==="version"&&l`
      <${po}
        version=${i.version}
        base=${s}
        onUse=${m=>{p(m),a(void 0)}}
        onClose=${()=>a(void 0)}
      />
    `}
  `}function $a({config:e,text:t,onEdit:n}){let s=[["In use since",$e(e.loaded_at)],["File",e.valid?"in use":"not in use"],["Saving here",e.editable?"possible":"not possible"]];return l`
    <section class="card padded stack" aria-label="State">
      <${D} class="config-state" facts=${s} />
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
  `}function ga({text:e,loadedAt:t,isEdited:n,onEdit:s}){let{data:o}=P(d=>A("/v1/admin/config/schema",{signal:d}),[]),{check:r,error:i,isChecking:a}=ba(e,t),[c,u]=g(void 0);return l`
    <div class="config-workbench">
      <div class="stack config-side">
        <section class="card padded stack" aria-labelledby="problems-title">
          <div class="row spread">
            <h2 id="problems-title">Problems</h2>
            <div role="status">${a&&l`<${T} text="Checking" />`}</div>
          </div>
          <${C} error=${i} title="Not checked" />
          ${r&&l`
            <${rt} check=${r} onGo=${d=>u({...d})} />
            ${r.unread.length>0&&l`
              <p class="hint">
                New references are read when the file is loaded: ${r.unread.join(", ")}
              </p>
            `}
          `}
        </section>
        <${io}
          text=${e}
          schema=${o}
          onEdit=${s}
          onGo=${d=>u({...d})}
        />
        <section class="card titled" aria-labelledby="changes-title">
          <h2 id="changes-title">Changes</h2>
          <div class="config-change-list">
            ${r&&(n||r.changes.length>0)?l`<${it} check=${r} />`:l`<p class="soft">None yet.</p>`}
          </div>
        </section>
      </div>
      <div class="stack config-text">
        <${oo}
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
  `}function ba(e,t){let[n,s]=g({});return v(()=>{let o=new AbortController,{signal:r}=o;s(a=>({...a,isChecking:!0}));let i=setTimeout(()=>{A("/v1/admin/config/check",{body:{text:e},signal:r}).then(a=>r.aborted||s({check:a}),a=>r.aborted||s({error:a}))},pa);return()=>{clearTimeout(i),o.abort()}},[e,t]),n}function ya({versions:e,onOpen:t}){return l`
    <section class="card padded stack" aria-labelledby="versions-title">
      <h2 id="versions-title">Texts that were replaced</h2>
      ${e.length===0?l`<p class="soft">None: texts are kept when they are replaced here.</p>`:l`
          <ul class="config-versions">
            ${e.map(n=>l`
                <li key=${n.id}>
                  <button type="button" class="link" onClick=${()=>t(n)}>
                    ${$e(n.replaced_at)}
                  </button>
                  <span class="soft">replaced by ${n.by}</span>
                </li>
              `)}
          </ul>
        `}
    </section>
  `}export{zs as clients,ho as config,Vs as models,Ls as playground};
