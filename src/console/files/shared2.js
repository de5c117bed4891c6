import{A as Q,B as ee,C as te,H as ne,J as oe,M as N,N as F,Q as re,S as H,U as w,V as E,X as se,Y as ie,aa as ae,c as h,d as y,da as T,e as k,f as x,g as P,ga as O,h as D,i as u,j,ka as B,m as W,n as G,oa as ce,pa as ue,ra as de,s as z,u as Y,v as J,wa as le,x as V,y as X,z as Z}from"./shared1.js";function bt(){let[,e]=h(0);return y(()=>z(()=>e(t=>t+1)),[]),{hasAdmin:G()!=="",hasService:W()!==""}}var fe=2e3,Ce=15e3;function Me(e,t){let n=x(fe);y(()=>{if(e===void 0&&(n.current=fe),!e?.isPassing)return;let o=setTimeout(t,n.current);return n.current=Math.min(2*n.current,Ce),()=>clearTimeout(o)},[e])}function wt(e,t,n=!0){let o=x(e);o.current=e,y(()=>{if(!n)return;let r=setInterval(()=>document.hidden||o.current(),t);return()=>clearInterval(r)},[t,n])}function Ie(e){let t=x([]);return y(()=>void(t.current=e),e),e.some((n,o)=>n!==t.current[o])}function vt(e,t){let[n,o]=h({data:void 0,error:void 0,isLoading:!0}),[r,i]=h(0),s=Ie([...t,r]),a=x(e);a.current=e,y(()=>{let p=new AbortController,{signal:l}=p;return o(m=>({...m,isLoading:!0})),a.current(l).then(m=>l.aborted||o({data:m,error:void 0,isLoading:!1}),m=>l.aborted||o(({data:$})=>({data:m.isPassing?$:void 0,error:m,isLoading:!1}))),()=>p.abort()},[...t,r]);let d=D(()=>i(p=>p+1),[]);Me(n.error,d);let c=D(p=>o(l=>({...l,data:p})),[]);return{...n,isLoading:n.isLoading||s,reload:d,setData:c}}function St({hasAdmin:e},t,n){let o=n===void 0?"":new URLSearchParams(n).toString();return`/v1/${e?"admin/":""}${t}${o===""?"":`?${o}`}`}var Pe=1e3;async function kt(e,t){let n=[];for(let o="";o!==void 0;){let r=new URLSearchParams({...e,limit:Pe,...o!==""&&{after:o}}),{data:i,has_more:s}=await J(`/v1/admin/keys?${r}`,{signal:t});n.push(...i),o=s?i.at(-1).id:void 0}return n}function Tt({title:e,note:t,children:n}){return u`
    <header class="view-head">
      <div class="view-title">
        <h1>${e}</h1>
        ${t&&u`<p class="soft">${t}</p>`}
      </div>
      <div class="view-tools">${n}</div>
    </header>
  `}function At({what:e}){let[t,n]=h(!1);return u`
    <div class="card empty stack">
      <p><strong>${e}</strong></p>
      <p>
        Admin keys are set in <code>server.admin_keys</code> of <code>config.yaml</code>.
      </p>
      <p>
        <button type="button" class="primary" onClick=${()=>n(!0)}>
          Enter the admin key
        </button>
      </p>
    </div>
    ${t&&u`
      <${ne} title="Your keys" onClose=${()=>n(!1)}>
        <${le} onDone=${()=>n(!1)} />
        <//>
    `}
  `}function _t({label:e,value:t,note:n,tone:o="",children:r}){return u`
    <div class=${`figure ${o}`}>
      <dt>${e}</dt>
      <dd>
        <div class="figure-line">
          <span class="figure-value">${t}</span>
          ${n&&u`
            <span class="figure-note">${n}</span>
          `}
        </div>
        ${r}
      </dd>
    </div>
  `}function Ct({label:e,children:t,class:n=""}){return u`
    <div class=${`table-scroll ${n}`} role="group" aria-label=${e} tabindex="0">
      <table>
        <caption class="only-read">${e}</caption>
        ${t}
      </table>
    </div>
  `}function Mt({value:e,format:t=String}){return e==null?u`<span class="faint">unknown</span>`:u`${t(e)}`}function Pt(e,t,n){let o=URL.createObjectURL(new Blob([t],{type:n})),r=document.createElement("a");r.href=o,r.download=e,r.click(),URL.revokeObjectURL(o)}var R=["id","key","model","provider","status","tag","end_user","session","min_ms","min_cost_usd","path"],De=["input_tokens","output_tokens","cost_usd","first_token_ms","ms","attempt_count"],Ne="24h",Fe={...Object.fromEntries(R.map(e=>[e,""])),range:"",from:"",to:"",sort:"",order:""};function Ft(e){let t=De.find(o=>o===e.get("sort"))??"";return{...{...Object.fromEntries(R.map(o=>[o,e.get(o)??""])),sort:t,order:t!==""&&e.get("order")==="asc"?"asc":""},...ue(e,Ne)}}function Ht(e){return R.some(t=>e[t]!=="")}function Bt(e,t,n){let o=r=>new Date(r).toISOString();return{...e,range:"custom",from:o(t),to:o(n)}}function Kt({range:e,from:t,to:n}){return{...Fe,range:e,from:t,to:n}}function Ut(e,t,n){let o=new URLSearchParams;for(let s of[...R,...ce,"sort","order"]){let a=e[s]??"";a!==""&&!(s==="range"&&a==="custom")&&o.set(s,a)}t!==void 0&&n&&o.set("time",n);let r=o.toString(),i=t===void 0?"#/requests":`#/requests/${encodeURIComponent(t)}`;return r===""?i:`${i}?${r}`}function qt(e,t,n){let{from:o,isOpen:r,to:i}=He(e,t,n),s=d=>new Date(d).toISOString(),a=new URLSearchParams({from:s(o),...!r&&{to:s(i)}});for(let d of R)e[d]!==""&&a.set(d,e[d]);return a}function He(e,t,n){return de(e,t,n)}function Gt({id:e,root:t}){return e===t?"model":e.startsWith(`${t}@`)?"pinned":"alias"}function zt({context_window:e,max_output_tokens:t}){return[...e?[`${F(e)} context`]:[],...t?[`${F(t)} output`]:[]]}var pe=new Map([["images",[1,"image"]],["searches",[1e3,"1,000 searches"]],["characters",[1e6,"million characters"]],["seconds",[60,"minute"]]]);function Be(e,t){let[n,o]=pe.get(e)??[1,e];return`$${Number((t*n).toPrecision(3))} per ${o}`}function me(e){return[...pe.keys()].filter(t=>e?.units?.[t]!==void 0).map(t=>Be(t,e.units[t]))}function Ke(e){return e.input>0||e.output>0||me(e).length===0}function Yt({prices:e}){return e?[...Ke(e)?[`${H(e.input)} in, ${H(e.output)} out`]:[],...me(e)].join(", "):void 0}var Ue=new Map([["tools","tools"],["vision","images"],["json_schema","JSON schema"],["reasoning","reasoning"]]);function Jt({capabilities:e}){return[...Ue].filter(([t])=>e?.[t]).map(([,t])=>t)}var qe=["images","speech","transcription","rerank","embeddings","moderation"];function Vt({capabilities:e,dimensions:t}){return qe.find(o=>e?.[o]===!0)??(t===void 0?"chat":"embeddings")}var je={timeStyle:"medium"},he={day:"numeric",month:"short",hour:"2-digit",minute:"2-digit",second:"2-digit"},We={dateStyle:"medium",timeStyle:"long"},Ge={dateStyle:"medium"};function en(e,t=j()){let n=T(),o=new Date(e),r=B(o.getTime(),n)===B(t,n);return O(n,r?je:he).format(o)}function tn(e){return O(T(),We).format(new Date(e))}function ge(e){let t=O(T(),he).format(new Date(e));return e%6e4===0?t.replace(/:00$/,""):t}var $e=[[864e5,"d"],[36e5,"h"],[6e4,"min"],[1e3,"s"]];function nn(e){let[t,n]=$e.find(([o])=>e%o===0)??$e.at(-1);return`${e/t} ${n}`}function on(e){return O("UTC",Ge).format(new Date(e*1e3))}function ye({label:e,anchor:t,items:n,onClose:o}){let r=x(null),[i,s]=h(void 0);k(()=>{r.current.showPopover(),ze(r.current,t),r.current.querySelector("[role=menuitem]")?.focus()},[]),y(()=>{let c=({target:p})=>{!r.current?.contains(p)&&!t.contains(p)&&o()};return addEventListener("pointerdown",c),addEventListener("scroll",o,{capture:!0,passive:!0}),addEventListener("resize",o),()=>{removeEventListener("pointerdown",c),removeEventListener("scroll",o,{capture:!0}),removeEventListener("resize",o)}},[]);let a=()=>{o(),t.isConnected&&t.focus({preventScroll:!0})},d=async c=>{if(c.copy!==void 0)return s(await V(c.copy)?c.text:void 0);a(),c.run?.()};return u`
    <div class="row-menu" popover="manual" role="menu" aria-label=${`Actions: ${e}`} ref=${r}
      onKeyDown=${c=>Ye(c,r.current,a)}>
      ${n.map(c=>c.href===void 0?u`
            <button type="button" key=${c.text} role="menuitem" tabindex="-1"
              class=${c.isDanger?"danger":""} onClick=${()=>d(c)}
            ><span aria-live="polite">${i===c.text?"Copied":c.text}</span></button>
          `:u`
            <a key=${c.text} role="menuitem" tabindex="-1" href=${c.href} onClick=${a}
            >${c.text}</a>
          `)}
    </div>
  `}function ze(e,t){let n=t.getBoundingClientRect(),o=n.bottom+e.offsetHeight+8>innerHeight;e.style.left=`${Math.max(8,n.right-e.offsetWidth)}px`,e.style.top=`${o?Math.max(8,n.top-e.offsetHeight-4):n.bottom+4}px`}function Ye(e,t,n){let o=[...t.querySelectorAll("[role=menuitem]")],r=o.indexOf(document.activeElement),i={ArrowDown:(r+1)%o.length,ArrowUp:(r+o.length-1)%o.length,Home:0,End:o.length-1};e.stopPropagation(),e.key==="Escape"||e.key==="Tab"?(e.preventDefault(),n()):Object.hasOwn(i,e.key)&&(e.preventDefault(),o[i[e.key]].focus())}var xe=100,be=24,K=32,Je=60,Ve=2e3,Xe=matchMedia("(max-width: 719px)");function we(e,t){let n=t>xe,[o,r]=h({from:0,to:xe,height:K});return k(()=>{if(!n)return;let i=d=>r(c=>c.from===d.from&&c.to===d.to&&c.height===d.height?c:d),s=()=>{let d=Xe.matches?Je:K,{top:c,bottom:p}=e.current.getBoundingClientRect(),l=e.current.querySelector("tbody").getBoundingClientRect().top,m={top:Math.max(0,c),bottom:Math.min(innerHeight,p)};i({...te({count:t,height:d,start:l,...m}),height:d})},a=()=>r({from:0,to:Math.min(t,Ve),height:K});return s(),addEventListener("scroll",s,{capture:!0,passive:!0}),addEventListener("resize",s),addEventListener("beforeprint",a),addEventListener("afterprint",s),()=>{removeEventListener("scroll",s,{capture:!0}),removeEventListener("resize",s),removeEventListener("beforeprint",a),removeEventListener("afterprint",s)}},[t,n]),n?{...o,from:Math.min(o.from,t),to:Math.min(o.to,t),isLong:n}:{from:0,to:t,height:o.height,isLong:n}}function ve(e){y(()=>{let{current:t}=e,n=()=>{let{clientWidth:r,scrollLeft:i,scrollWidth:s}=t;t.toggleAttribute("data-left",i>0),t.toggleAttribute("data-right",i+r<s-1)},o=new ResizeObserver(n);return o.observe(t),o.observe(t.firstElementChild),t.addEventListener("scroll",n,{passive:!0}),()=>{o.disconnect(),t.removeEventListener("scroll",n)}},[])}function Se(e,t){let[n,o]=h(void 0),r=x(void 0),i=x(!1);return r.current={...t,cursor:n},y(()=>o(void 0),[t.current]),y(()=>{let s=a=>{if(!Ze(a,e.current))return;let{current:d,cursor:c,hrefOf:p,idOf:l,onClose:m,rows:$}=r.current,f=$.findIndex(g=>l(g)===(c??d));if(a.key==="j"||a.key==="k"){let g=a.key==="j"?1:-1,b=Math.min($.length-1,Math.max(0,f+g));if($.length===0)return;Qe(e.current,b,r.current),i.current=!0,o(l($[b]))}else if(a.key==="Enter"&&f>=0&&!a.target.closest("a, button, input")){let g=p?.($[f]);g!==void 0&&(location.hash=g)}else if(a.key==="Escape"&&m!==void 0)m();else return;a.preventDefault()};return addEventListener("keydown",s),()=>removeEventListener("keydown",s)},[]),y(()=>{if(!i.current||n===void 0)return;let s=e.current.querySelector(`[data-row="${CSS.escape(n)}"]`);s!==null&&(i.current=!1,t.isLong||s.scrollIntoView({block:"nearest"}),s.querySelector(".k :is(a, button), .act button")?.focus({preventScroll:!0}))}),{cursor:n}}function Ze(e,t){if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return!1;let{target:n}=e;return n.matches?.("textarea, select, [contenteditable], input:not([type=checkbox])")||document.querySelector("dialog[open]")!==null?!1:(n.closest?.(".tbl")??document.querySelector(".tbl"))===t}function Qe(e,t,{height:n,isLong:o}){if(!o)return;let r=e.querySelector("tbody").getBoundingClientRect(),i=e.getBoundingClientRect(),s=e.querySelector("thead").getBoundingClientRect().height,a=e.scrollHeight>e.clientHeight+1,d=document.querySelector(".top-bar").getBoundingClientRect().bottom,c=r.top+t*n,p=Math.max(a?i.top+s:0,d),l=Math.min(a?i.bottom:1/0,innerHeight)-n,m=c<p?c-p:c>l?c-l:0;m!==0&&(a?e:globalThis).scrollBy({top:m,behavior:"instant"})}function yn(e){let{label:t,columns:n,rows:o,idOf:r,order:i,onOrder:s,current:a,hasPanel:d}=e,[c,p]=h(i),l=s===void 0?c:i,m=s??p,$=P(()=>ee(n,o,l.id),[n,o,l.id]),f=P(()=>s!==void 0?o:Q(o,n.find(({id:v})=>v===l.id),l.isRising),[o,n,l.id,l.isRising,s===void 0]),g=x(null),[b,U]=h(null),{from:C,to:q,height:M,isLong:S}=we(g,f.length),Ee=Se(g,{...e,rows:f,height:M,isLong:S,current:a});ve(g);let Te=$.some(({foot:v})=>v!==void 0),I=$.length+(e.actionsOf===void 0?0:1);return u`
    <${it} columns=${$} order=${l} onOrder=${m} />
    <div
      class=${`tbl${f.length>be?" tall":""}${S?" long":""}${d?" has-panel":""}`}
      ref=${g}
      role="group"
      aria-label=${t}
      tabindex="0"
    >
      <table role="table" aria-rowcount=${S?f.length+1:void 0}>
        <caption class="only-read">${t}</caption>
        <${tt} ...${e} columns=${$} order=${l} setOrder=${m} />
        <tbody role="rowgroup">
          ${S&&u`<${ke} key="before" rows=${C} height=${M} span=${I} />`}
          ${f.slice(C,q).map((v,Ae)=>{let L=r(v);return u`
              <${nt} ...${e} key=${L} id=${L} row=${v} columns=${$}
                order=${l}
                index=${S?C+Ae:void 0}
                isCurrent=${L===a||L===Ee.cursor}
                onMenu=${_e=>U({id:L,row:v,anchor:_e})} openId=${b?.id} />
            `})}
          ${S&&u`
            <${ke} key="after" rows=${f.length-q} height=${M} span=${I} />
          `}
        </tbody>
        ${Te&&u`<${st} columns=${$} hasActions=${I>$.length} />`}
      </table>
    </div>
    ${b!==null&&u`
      <${ye} key=${b.id} label=${String(n[0].of(b.row))} anchor=${b.anchor}
        items=${e.actionsOf(b.row)} onClose=${()=>U(null)} />
    `}
  `}function ke({rows:e,height:t,span:n}){return u`
    <tr class="gap" aria-hidden="true" style=${{height:`${e*t}px`}}>
      <td colspan=${n}></td>
    </tr>
  `}function et({id:e,isRisingFirst:t},n){return{id:e,isRising:n.id===e?!n.isRising:t===!0}}function A({isNumber:e,isProse:t,panel:n,class:o},r){let i=n!==void 0&&!r?`panel-${n}`:"";return[e&&"num",t&&"why",i,o].filter(Boolean).join(" ")}function tt({columns:e,order:t,setOrder:n,marks:o,rows:r,actionsOf:i}){return u`
    <thead role="rowgroup">
      <tr role="row">
        ${e.map((s,a)=>{let d=s.id===t.id,c=t.isRising?"ascending":"descending";return u`
            <th key=${s.id} scope="col" role="columnheader" title=${s.hint}
              class=${`${a===0?"k ":""}${A(s,d)}`}
              aria-sort=${d?c:void 0}>
              ${a===0&&o&&u`
                <input type="checkbox" aria-label="Choose all rows"
                  checked=${r.length>0&&o.ids.size===r.length}
                  onChange=${p=>o.onAll(p.target.checked)} />
              `}
              ${s.of===void 0?s.title:u`
                <button type="button" class="sort" onClick=${()=>n(et(s,t))}>
                  ${s.title}
                  <span aria-hidden="true">${d?t.isRising?"\u2191":"\u2193":""}</span>
                </button>
              `}
            </th>
          `})}
        ${i&&u`
          <th class="act" role="columnheader"><span class="only-read">Actions</span></th>
        `}
      </tr>
    </thead>
  `}function nt(e){let{id:t,row:n,columns:o,order:r,index:i,isCurrent:s,marks:a,hrefOf:d,actionsOf:c,onMenu:p}=e,l=d?.(n),m=f=>{let g=f.target.closest("a, button, input")||String(getSelection())!=="";l!==void 0&&!g&&(location.hash=l)},$=c?.(n)??[];return u`
    <tr role="row" data-row=${t} class=${e.classOf?.(n)} onClick=${m}
      aria-rowindex=${i===void 0?void 0:i+2}
      data-current=${s||void 0} data-link=${l!==void 0||void 0}>
      ${o.map((f,g)=>g===0?u`
            <th key=${f.id} scope="row" role="rowheader" data-m=${f.card??"a"}
              class=${`k ${A(f,!0)}`}>
              ${a&&u`
                <input type="checkbox" aria-label=${`Choose ${f.of(n)}`}
                  checked=${a.ids.has(t)} onChange=${()=>a.onToggle(t)} />
              `}
              <${ot} column=${f} row=${n} href=${l}
                isOpen=${t===e.current} />
            </th>
          `:u`
            <td key=${f.id} role="cell" data-m=${f.card} data-l=${f.mark}
              class=${A(f,f.id===r.id)}>${rt(f,n)}</td>
          `)}
      ${c&&u`
        <td class="act" role="cell">
          ${$.length>0&&u`
            <button type="button" class="icon quiet small" aria-haspopup="menu"
              aria-expanded=${String(e.openId===t)}
              aria-label=${`Actions: ${o[0].of(n)}`}
              onClick=${f=>p(f.currentTarget)}><${X} name="more" /></button>
          `}
        </td>
      `}
    </tr>
  `}function ot({column:e,row:t,href:n,isOpen:o}){let r=e.cell?.(t)??u`<${oe} text=${String(e.of(t))} />`;return n===void 0?r:u`<a href=${n} aria-current=${o?"true":void 0}>${r}</a>`}function rt({cell:e,of:t,text:n=String},o){if(e!==void 0)return e(o)??"\u2013";let r=t(o);return Z(r)?"\u2013":n(r,o)}function st({columns:e,hasActions:t}){return u`
    <tfoot role="rowgroup">
      <tr role="row" class="sum">
        ${e.map((n,o)=>o===0?u`<th key=${n.id} scope="row" role="rowheader" class="k" data-m="a">${n.foot}</th>`:u`
              <td key=${n.id} role="cell" data-m=${n.card} data-l=${n.mark}
                class=${A(n,!1)}>${n.foot}</td>
            `)}
        ${t&&u`<td class="act" role="cell"></td>`}
      </tr>
    </tfoot>
  `}function it({columns:e,order:t,onOrder:n}){let o=x(null),r=`${t.id} ${t.isRising?"up":"down"}`;k(()=>void(o.current.value=r),[r,e]);let i=e.filter(({of:a})=>a!==void 0).flatMap(({id:a,title:d})=>[[`${a} down`,`${d} \u2193`],[`${a} up`,`${d} \u2191`]]);return u`
    <label class="phone-sort">Sorted by
      <select ref=${o} onChange=${({target:a})=>{let[d,c]=a.value.split(" ");n({id:d,isRising:c==="up"})}}>
        ${i.map(([a,d])=>u`<option key=${a} value=${a}>${d}</option>`)}
      </select>
    </label>
  `}var at=.05,ct=.5,Le=new Map([["failing",w.get("failing")],["degraded",w.get("degraded")],["limited",{tone:"warn",text:"Keys suspended"}],["slow",w.get("slow")],["silent",w.get("silent")],["ok",w.get("ok")],["unused",w.get("unused")]]),_=[...Le.keys()];function ut({breaker:e,health:t,keys:n,resting_keys:o}){if(e==="open"||n>0&&o>=n)return"failing";let r=t?.state??"unused",i=_.indexOf(r)<_.indexOf("limited");return o>0&&!i?"limited":r}function dt(e){return e.map(t=>({...t,state:ut(t)})).toSorted((t,n)=>_.indexOf(t.state)-_.indexOf(n.state))}function Sn({providers:e,models:t=[]},n){return dt(e.filter(({enabled:o})=>o)).filter(({state:o})=>o==="limited"||E(o)).map(o=>{let r=t.filter(({provider:s})=>s===o.id),{tone:i}=Le.get(o.state);return{id:o.id,tone:i,text:lt(o,r,n)}})}function lt({health:e,keys:t,resting_keys:n},o,r){let i=o.filter(({breaker:a})=>a==="open").map(({id:a})=>a);return[e?.since&&E(e.state)&&`${w.get(e.state).text.toLowerCase()} since ${ge(Date.parse(e.since))}`,e&&E(e.state)&&se(e,r),e&&ie(e),i.length>0&&`${i.join(", ")}: breaker open`,n>0&&`${n} of ${t} keys suspended`].filter(a=>a).join("; ")}function kn({error:e,status:t,cause:n}){let o=e===String(t)?e:`${e} (${t})`;return n?`${o}: ${n}`:o}function Ln(e){let t=e.filter(i=>i!==null),n=t.reduce((i,[s])=>i+s,0),o=t.reduce((i,[,s])=>i+s,0);if(n===0)return"No attempts in 24 hours";let r=t.reduce((i,[s,a])=>Math.max(i,a/s),0);return`24 hours: ${N(o)} of ${N(n)} attempts failed`+(o>0?`; ${re(r,1)} in the worst hour`:"")}function On(e){if(e===null||e[0]===0)return null;let t=e[1]/e[0];return t>=ct?"bad":t>=at?"warn":"good"}var Oe=1e3,ft=15e3,pt=60;function _n(e){let[t,n]=h(Re);return y(()=>{n(Re);let o,r=()=>{o=new AbortController,mt(e,o.signal,n)},i=()=>{o?.abort(),document.visibilityState==="visible"?r():n(s=>({...s,isLive:!1}))};return document.visibilityState==="visible"&&r(),document.addEventListener("visibilitychange",i),()=>{document.removeEventListener("visibilitychange",i),o?.abort()}},[e]),t}var Re={state:void 0,history:[],isLive:!1,error:void 0};async function mt(e,t,n){let o=Oe,r=({name:i,data:s})=>{if(i!=="state"||t.aborted)return;o=Oe;let a=JSON.parse(s);n(({history:d})=>({state:a,history:[...d,a].slice(-pt),isLive:!0,error:void 0}))};for(;!t.aborted;){let i;try{await ae(await Y(e,{signal:t}),r)}catch(s){i=s}if(t.aborted||(n(s=>({...s,isLive:!1,error:i})),i?.status===401||i?.status===403||i?.status===404))return;await $t(o,t),o=Math.min(2*o,ft)}}function $t(e,t){return new Promise(n=>{let o=setTimeout(n,e);t.addEventListener("abort",()=>{clearTimeout(o),n()},{once:!0})})}var ht=new Map([["closed",{tone:"good",text:"Closed",title:"Requests are sent"}],["open",{tone:"bad",text:"Open",title:"Too many failures: requests use other targets"}],["half_open",{tone:"warn",text:"Half-open",title:"One request tries the provider again"}]]);function In({state:e}){let{tone:t,text:n,title:o}=ht.get(e)??{tone:"",text:e,title:""};return u`<span class=${`badge ${t}`} title=${o}>${n}</span>`}export{bt as a,Me as b,wt as c,Ie as d,vt as e,St as f,kt as g,Tt as h,At as i,_t as j,Ct as k,Mt as l,Pt as m,R as n,Fe as o,Ft as p,Ht as q,Bt as r,Kt as s,Ut as t,qt as u,He as v,Gt as w,zt as x,Be as y,me as z,Ke as A,Yt as B,Jt as C,Vt as D,en as E,tn as F,ge as G,nn as H,on as I,yn as J,Le as K,ut as L,dt as M,Sn as N,kn as O,Ln as P,On as Q,_n as R,In as S};
