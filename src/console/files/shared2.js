import{A as J,B as Z,C as Q,H as ee,J as te,M as F,Q as ne,U as b,V as O,X as oe,Y as re,aa as se,c as h,d as y,da as T,e as k,f as w,g as D,ga as R,h as P,i as d,j as q,ka as H,m as U,n as j,oa as ie,pa as ae,ra as ce,s as W,u as G,v as z,wa as de,x as Y,y as V,z as X}from"./shared1.js";function ft(){let[,e]=h(0);return y(()=>W(()=>e(t=>t+1)),[]),{hasAdmin:j()!=="",hasService:U()!==""}}var ue=2e3,Oe=15e3;function Te(e,t){let n=w(ue);y(()=>{if(e===void 0&&(n.current=ue),!e?.isPassing)return;let o=setTimeout(t,n.current);return n.current=Math.min(2*n.current,Oe),()=>clearTimeout(o)},[e])}function pt(e,t,n=!0){let o=w(e);o.current=e,y(()=>{if(!n)return;let r=setInterval(()=>document.hidden||o.current(),t);return()=>clearInterval(r)},[t,n])}function _e(e){let t=w([]);return y(()=>void(t.current=e),e),e.some((n,o)=>n!==t.current[o])}function mt(e,t){let[n,o]=h({data:void 0,error:void 0,isLoading:!0}),[r,i]=h(0),s=_e([...t,r]),a=w(e);a.current=e,y(()=>{let p=new AbortController,{signal:l}=p;return o(m=>({...m,isLoading:!0})),a.current(l).then(m=>l.aborted||o({data:m,error:void 0,isLoading:!1}),m=>l.aborted||o(({data:$})=>({data:m.isPassing?$:void 0,error:m,isLoading:!1}))),()=>p.abort()},[...t,r]);let u=P(()=>i(p=>p+1),[]);Te(n.error,u);let c=P(p=>o(l=>({...l,data:p})),[]);return{...n,isLoading:n.isLoading||s,reload:u,setData:c}}function $t({hasAdmin:e},t,n){let o=n===void 0?"":new URLSearchParams(n).toString();return`/v1/${e?"admin/":""}${t}${o===""?"":`?${o}`}`}var Ae=1e3;async function ht(e,t){let n=[];for(let o="";o!==void 0;){let r=new URLSearchParams({...e,limit:Ae,...o!==""&&{after:o}}),{data:i,has_more:s}=await z(`/v1/admin/keys?${r}`,{signal:t});n.push(...i),o=s?i.at(-1).id:void 0}return n}function bt({title:e,note:t,children:n}){return d`
    <header class="view-head">
      <div class="view-title">
        <h1>${e}</h1>
        ${t&&d`<p class="soft">${t}</p>`}
      </div>
      <div class="view-tools">${n}</div>
    </header>
  `}function vt({what:e}){let[t,n]=h(!1);return d`
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
    ${t&&d`
      <${ee} title="Your keys" onClose=${()=>n(!1)}>
        <${de} onDone=${()=>n(!1)} />
        <//>
    `}
  `}function St({label:e,value:t,note:n,tone:o="",children:r}){return d`
    <div class=${`figure ${o}`}>
      <dt>${e}</dt>
      <dd>
        <div class="figure-line">
          <span class="figure-value">${t}</span>
          ${n&&d`
            <span class="figure-note">${n}</span>
          `}
        </div>
        ${r}
      </dd>
    </div>
  `}function kt({label:e,children:t,class:n=""}){return d`
    <div class=${`table-scroll ${n}`} role="group" aria-label=${e} tabindex="0">
      <table>
        <caption class="only-read">${e}</caption>
        ${t}
      </table>
    </div>
  `}function Lt({value:e,format:t=String}){return e==null?d`<span class="faint">unknown</span>`:d`${t(e)}`}function Et(e,t,n){let o=URL.createObjectURL(new Blob([t],{type:n})),r=document.createElement("a");r.href=o,r.download=e,r.click(),URL.revokeObjectURL(o)}var E=["id","key","model","provider","status","tag","end_user","session","min_ms","min_cost_usd","path"],Ce=["input_tokens","output_tokens","cost_usd","first_token_ms","ms","attempt_count"],Me="24h",Ie={...Object.fromEntries(E.map(e=>[e,""])),range:"",from:"",to:"",sort:"",order:""};function _t(e){let t=Ce.find(o=>o===e.get("sort"))??"";return{...{...Object.fromEntries(E.map(o=>[o,e.get(o)??""])),sort:t,order:t!==""&&e.get("order")==="asc"?"asc":""},...ae(e,Me)}}function At(e){return E.some(t=>e[t]!=="")}function Ct(e,t,n){let o=r=>new Date(r).toISOString();return{...e,range:"custom",from:o(t),to:o(n)}}function Mt({range:e,from:t,to:n}){return{...Ie,range:e,from:t,to:n}}function It(e,t,n){let o=new URLSearchParams;for(let s of[...E,...ie,"sort","order"]){let a=e[s]??"";a!==""&&!(s==="range"&&a==="custom")&&o.set(s,a)}t!==void 0&&n&&o.set("time",n);let r=o.toString(),i=t===void 0?"#/requests":`#/requests/${encodeURIComponent(t)}`;return r===""?i:`${i}?${r}`}function Dt(e,t,n){let{from:o,isOpen:r,to:i}=De(e,t,n),s=u=>new Date(u).toISOString(),a=new URLSearchParams({from:s(o),...!r&&{to:s(i)}});for(let u of E)e[u]!==""&&a.set(u,e[u]);return a}function De(e,t,n){return ce(e,t,n)}var Pe={timeStyle:"medium"},fe={day:"numeric",month:"short",hour:"2-digit",minute:"2-digit",second:"2-digit"},Fe={dateStyle:"medium",timeStyle:"long"},He={dateStyle:"medium"};function Kt(e,t=q()){let n=T(),o=new Date(e),r=H(o.getTime(),n)===H(t,n);return R(n,r?Pe:fe).format(o)}function Nt(e){return R(T(),Fe).format(new Date(e))}function pe(e){let t=R(T(),fe).format(new Date(e));return e%6e4===0?t.replace(/:00$/,""):t}var le=[[864e5,"d"],[36e5,"h"],[6e4,"min"],[1e3,"s"]];function Bt(e){let[t,n]=le.find(([o])=>e%o===0)??le.at(-1);return`${e/t} ${n}`}function qt(e){return R("UTC",He).format(new Date(e*1e3))}function me({label:e,anchor:t,items:n,onClose:o}){let r=w(null),[i,s]=h(void 0);k(()=>{r.current.showPopover(),Ke(r.current,t),r.current.querySelector("[role=menuitem]")?.focus()},[]),y(()=>{let c=({target:p})=>{!r.current?.contains(p)&&!t.contains(p)&&o()};return addEventListener("pointerdown",c),addEventListener("scroll",o,{capture:!0,passive:!0}),addEventListener("resize",o),()=>{removeEventListener("pointerdown",c),removeEventListener("scroll",o,{capture:!0}),removeEventListener("resize",o)}},[]);let a=()=>{o(),t.isConnected&&t.focus({preventScroll:!0})},u=async c=>{if(c.copy!==void 0)return s(await Y(c.copy)?c.text:void 0);a(),c.run?.()};return d`
    <div class="row-menu" popover="manual" role="menu" aria-label=${`Actions: ${e}`} ref=${r}
      onKeyDown=${c=>Ne(c,r.current,a)}>
      ${n.map(c=>c.href===void 0?d`
            <button type="button" key=${c.text} role="menuitem" tabindex="-1"
              class=${c.isDanger?"danger":""} onClick=${()=>u(c)}
            ><span aria-live="polite">${i===c.text?"Copied":c.text}</span></button>
          `:d`
            <a key=${c.text} role="menuitem" tabindex="-1" href=${c.href} onClick=${a}
            >${c.text}</a>
          `)}
    </div>
  `}function Ke(e,t){let n=t.getBoundingClientRect(),o=n.bottom+e.offsetHeight+8>innerHeight;e.style.left=`${Math.max(8,n.right-e.offsetWidth)}px`,e.style.top=`${o?Math.max(8,n.top-e.offsetHeight-4):n.bottom+4}px`}function Ne(e,t,n){let o=[...t.querySelectorAll("[role=menuitem]")],r=o.indexOf(document.activeElement),i={ArrowDown:(r+1)%o.length,ArrowUp:(r+o.length-1)%o.length,Home:0,End:o.length-1};e.stopPropagation(),e.key==="Escape"||e.key==="Tab"?(e.preventDefault(),n()):Object.hasOwn(i,e.key)&&(e.preventDefault(),o[i[e.key]].focus())}var $e=100,he=24,K=32,Be=60,qe=2e3,Ue=matchMedia("(max-width: 719px)");function ge(e,t){let n=t>$e,[o,r]=h({from:0,to:$e,height:K});return k(()=>{if(!n)return;let i=u=>r(c=>c.from===u.from&&c.to===u.to&&c.height===u.height?c:u),s=()=>{let u=Ue.matches?Be:K,{top:c,bottom:p}=e.current.getBoundingClientRect(),l=e.current.querySelector("tbody").getBoundingClientRect().top,m={top:Math.max(0,c),bottom:Math.min(innerHeight,p)};i({...Q({count:t,height:u,start:l,...m}),height:u})},a=()=>r({from:0,to:Math.min(t,qe),height:K});return s(),addEventListener("scroll",s,{capture:!0,passive:!0}),addEventListener("resize",s),addEventListener("beforeprint",a),addEventListener("afterprint",s),()=>{removeEventListener("scroll",s,{capture:!0}),removeEventListener("resize",s),removeEventListener("beforeprint",a),removeEventListener("afterprint",s)}},[t,n]),n?{...o,from:Math.min(o.from,t),to:Math.min(o.to,t),isLong:n}:{from:0,to:t,height:o.height,isLong:n}}function ye(e){y(()=>{let{current:t}=e,n=()=>{let{clientWidth:r,scrollLeft:i,scrollWidth:s}=t;t.toggleAttribute("data-left",i>0),t.toggleAttribute("data-right",i+r<s-1)},o=new ResizeObserver(n);return o.observe(t),o.observe(t.firstElementChild),t.addEventListener("scroll",n,{passive:!0}),()=>{o.disconnect(),t.removeEventListener("scroll",n)}},[])}function we(e,t){let[n,o]=h(void 0),r=w(void 0),i=w(!1);return r.current={...t,cursor:n},y(()=>o(void 0),[t.current]),y(()=>{let s=a=>{if(!je(a,e.current))return;let{current:u,cursor:c,hrefOf:p,idOf:l,onClose:m,rows:$}=r.current,f=$.findIndex(g=>l(g)===(c??u));if(a.key==="j"||a.key==="k"){let g=a.key==="j"?1:-1,x=Math.min($.length-1,Math.max(0,f+g));if($.length===0)return;We(e.current,x,r.current),i.current=!0,o(l($[x]))}else if(a.key==="Enter"&&f>=0&&!a.target.closest("a, button, input")){let g=p?.($[f]);g!==void 0&&(location.hash=g)}else if(a.key==="Escape"&&m!==void 0)m();else return;a.preventDefault()};return addEventListener("keydown",s),()=>removeEventListener("keydown",s)},[]),y(()=>{if(!i.current||n===void 0)return;let s=e.current.querySelector(`[data-row="${CSS.escape(n)}"]`);s!==null&&(i.current=!1,t.isLong||s.scrollIntoView({block:"nearest"}),s.querySelector(".k :is(a, button), .act button")?.focus({preventScroll:!0}))}),{cursor:n}}function je(e,t){if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return!1;let{target:n}=e;return n.matches?.("textarea, select, [contenteditable], input:not([type=checkbox])")||document.querySelector("dialog[open]")!==null?!1:(n.closest?.(".tbl")??document.querySelector(".tbl"))===t}function We(e,t,{height:n,isLong:o}){if(!o)return;let r=e.querySelector("tbody").getBoundingClientRect(),i=e.getBoundingClientRect(),s=e.querySelector("thead").getBoundingClientRect().height,a=e.scrollHeight>e.clientHeight+1,u=document.querySelector(".top-bar").getBoundingClientRect().bottom,c=r.top+t*n,p=Math.max(a?i.top+s:0,u),l=Math.min(a?i.bottom:1/0,innerHeight)-n,m=c<p?c-p:c>l?c-l:0;m!==0&&(a?e:globalThis).scrollBy({top:m,behavior:"instant"})}function nn(e){let{label:t,columns:n,rows:o,idOf:r,order:i,onOrder:s,current:a,hasPanel:u}=e,[c,p]=h(i),l=s===void 0?c:i,m=s??p,$=D(()=>Z(n,o,l.id),[n,o,l.id]),f=D(()=>s!==void 0?o:J(o,n.find(({id:v})=>v===l.id),l.isRising),[o,n,l.id,l.isRising,s===void 0]),g=w(null),[x,N]=h(null),{from:C,to:B,height:M,isLong:S}=ge(g,f.length),ke=we(g,{...e,rows:f,height:M,isLong:S,current:a});ye(g);let Le=$.some(({foot:v})=>v!==void 0),I=$.length+(e.actionsOf===void 0?0:1);return d`
    <${Ze} columns=${$} order=${l} onOrder=${m} />
    <div
      class=${`tbl${f.length>he?" tall":""}${S?" long":""}${u?" has-panel":""}`}
      ref=${g}
      role="group"
      aria-label=${t}
      tabindex="0"
    >
      <table role="table" aria-rowcount=${S?f.length+1:void 0}>
        <caption class="only-read">${t}</caption>
        <${ze} ...${e} columns=${$} order=${l} setOrder=${m} />
        <tbody role="rowgroup">
          ${S&&d`<${xe} key="before" rows=${C} height=${M} span=${I} />`}
          ${f.slice(C,B).map((v,Re)=>{let L=r(v);return d`
              <${Ye} ...${e} key=${L} id=${L} row=${v} columns=${$}
                order=${l}
                index=${S?C+Re:void 0}
                isCurrent=${L===a||L===ke.cursor}
                onMenu=${Ee=>N({id:L,row:v,anchor:Ee})} openId=${x?.id} />
            `})}
          ${S&&d`
            <${xe} key="after" rows=${f.length-B} height=${M} span=${I} />
          `}
        </tbody>
        ${Le&&d`<${Je} columns=${$} hasActions=${I>$.length} />`}
      </table>
    </div>
    ${x!==null&&d`
      <${me} key=${x.id} label=${String(n[0].of(x.row))} anchor=${x.anchor}
        items=${e.actionsOf(x.row)} onClose=${()=>N(null)} />
    `}
  `}function xe({rows:e,height:t,span:n}){return d`
    <tr class="gap" aria-hidden="true" style=${{height:`${e*t}px`}}>
      <td colspan=${n}></td>
    </tr>
  `}function Ge({id:e,isRisingFirst:t},n){return{id:e,isRising:n.id===e?!n.isRising:t===!0}}function _({isNumber:e,isProse:t,panel:n,class:o},r){let i=n!==void 0&&!r?`panel-${n}`:"";return[e&&"num",t&&"why",i,o].filter(Boolean).join(" ")}function ze({columns:e,order:t,setOrder:n,marks:o,rows:r,actionsOf:i}){return d`
    <thead role="rowgroup">
      <tr role="row">
        ${e.map((s,a)=>{let u=s.id===t.id,c=t.isRising?"ascending":"descending";return d`
            <th key=${s.id} scope="col" role="columnheader" title=${s.hint}
              class=${`${a===0?"k ":""}${_(s,u)}`}
              aria-sort=${u?c:void 0}>
              ${a===0&&o&&d`
                <input type="checkbox" aria-label="Choose all rows"
                  checked=${r.length>0&&o.ids.size===r.length}
                  onChange=${p=>o.onAll(p.target.checked)} />
              `}
              ${s.of===void 0?s.title:d`
                <button type="button" class="sort" onClick=${()=>n(Ge(s,t))}>
                  ${s.title}
                  <span aria-hidden="true">${u?t.isRising?"\u2191":"\u2193":""}</span>
                </button>
              `}
            </th>
          `})}
        ${i&&d`
          <th class="act" role="columnheader"><span class="only-read">Actions</span></th>
        `}
      </tr>
    </thead>
  `}function Ye(e){let{id:t,row:n,columns:o,order:r,index:i,isCurrent:s,marks:a,hrefOf:u,actionsOf:c,onMenu:p}=e,l=u?.(n),m=f=>{let g=f.target.closest("a, button, input")||String(getSelection())!=="";l!==void 0&&!g&&(location.hash=l)},$=c?.(n)??[];return d`
    <tr role="row" data-row=${t} class=${e.classOf?.(n)} onClick=${m}
      aria-rowindex=${i===void 0?void 0:i+2}
      data-current=${s||void 0} data-link=${l!==void 0||void 0}>
      ${o.map((f,g)=>g===0?d`
            <th key=${f.id} scope="row" role="rowheader" data-m=${f.card??"a"}
              class=${`k ${_(f,!0)}`}>
              ${a&&d`
                <input type="checkbox" aria-label=${`Choose ${f.of(n)}`}
                  checked=${a.ids.has(t)} onChange=${()=>a.onToggle(t)} />
              `}
              <${Ve} column=${f} row=${n} href=${l}
                isOpen=${t===e.current} />
            </th>
          `:d`
            <td key=${f.id} role="cell" data-m=${f.card} data-l=${f.mark}
              class=${_(f,f.id===r.id)}>${Xe(f,n)}</td>
          `)}
      ${c&&d`
        <td class="act" role="cell">
          ${$.length>0&&d`
            <button type="button" class="icon quiet small" aria-haspopup="menu"
              aria-expanded=${String(e.openId===t)}
              aria-label=${`Actions: ${o[0].of(n)}`}
              onClick=${f=>p(f.currentTarget)}><${V} name="more" /></button>
          `}
        </td>
      `}
    </tr>
  `}function Ve({column:e,row:t,href:n,isOpen:o}){let r=e.cell?.(t)??d`<${te} text=${String(e.of(t))} />`;return n===void 0?r:d`<a href=${n} aria-current=${o?"true":void 0}>${r}</a>`}function Xe({cell:e,of:t,text:n=String},o){if(e!==void 0)return e(o)??"\u2013";let r=t(o);return X(r)?"\u2013":n(r,o)}function Je({columns:e,hasActions:t}){return d`
    <tfoot role="rowgroup">
      <tr role="row" class="sum">
        ${e.map((n,o)=>o===0?d`<th key=${n.id} scope="row" role="rowheader" class="k" data-m="a">${n.foot}</th>`:d`
              <td key=${n.id} role="cell" data-m=${n.card} data-l=${n.mark}
                class=${_(n,!1)}>${n.foot}</td>
            `)}
        ${t&&d`<td class="act" role="cell"></td>`}
      </tr>
    </tfoot>
  `}function Ze({columns:e,order:t,onOrder:n}){let o=w(null),r=`${t.id} ${t.isRising?"up":"down"}`;k(()=>void(o.current.value=r),[r,e]);let i=e.filter(({of:a})=>a!==void 0).flatMap(({id:a,title:u})=>[[`${a} down`,`${u} \u2193`],[`${a} up`,`${u} \u2191`]]);return d`
    <label class="phone-sort">Sorted by
      <select ref=${o} onChange=${({target:a})=>{let[u,c]=a.value.split(" ");n({id:u,isRising:c==="up"})}}>
        ${i.map(([a,u])=>d`<option key=${a} value=${a}>${u}</option>`)}
      </select>
    </label>
  `}var Qe=.05,et=.5,be=new Map([["failing",b.get("failing")],["degraded",b.get("degraded")],["limited",{tone:"warn",text:"Keys suspended"}],["slow",b.get("slow")],["silent",b.get("silent")],["ok",b.get("ok")],["unused",b.get("unused")]]),A=[...be.keys()];function tt({breaker:e,health:t,keys:n,resting_keys:o}){if(e==="open"||n>0&&o>=n)return"failing";let r=t?.state??"unused",i=A.indexOf(r)<A.indexOf("limited");return o>0&&!i?"limited":r}function nt(e){return e.map(t=>({...t,state:tt(t)})).toSorted((t,n)=>A.indexOf(t.state)-A.indexOf(n.state))}function cn({providers:e,models:t=[]},n){return nt(e.filter(({enabled:o})=>o)).filter(({state:o})=>o==="limited"||O(o)).map(o=>{let r=t.filter(({provider:s})=>s===o.id),{tone:i}=be.get(o.state);return{id:o.id,tone:i,text:ot(o,r,n)}})}function ot({health:e,keys:t,resting_keys:n},o,r){let i=o.filter(({breaker:a})=>a==="open").map(({id:a})=>a);return[e?.since&&O(e.state)&&`${b.get(e.state).text.toLowerCase()} since ${pe(Date.parse(e.since))}`,e&&O(e.state)&&oe(e,r),e&&re(e),i.length>0&&`${i.join(", ")}: breaker open`,n>0&&`${n} of ${t} keys suspended`].filter(a=>a).join("; ")}function dn({error:e,status:t,cause:n}){let o=e===String(t)?e:`${e} (${t})`;return n?`${o}: ${n}`:o}function un(e){let t=e.filter(i=>i!==null),n=t.reduce((i,[s])=>i+s,0),o=t.reduce((i,[,s])=>i+s,0);if(n===0)return"No attempts in 24 hours";let r=t.reduce((i,[s,a])=>Math.max(i,a/s),0);return`24 hours: ${F(o)} of ${F(n)} attempts failed`+(o>0?`; ${ne(r,1)} in the worst hour`:"")}function ln(e){if(e===null||e[0]===0)return null;let t=e[1]/e[0];return t>=et?"bad":t>=Qe?"warn":"good"}var ve=1e3,rt=15e3,st=60;function hn(e){let[t,n]=h(Se);return y(()=>{n(Se);let o,r=()=>{o=new AbortController,it(e,o.signal,n)},i=()=>{o?.abort(),document.visibilityState==="visible"?r():n(s=>({...s,isLive:!1}))};return document.visibilityState==="visible"&&r(),document.addEventListener("visibilitychange",i),()=>{document.removeEventListener("visibilitychange",i),o?.abort()}},[e]),t}var Se={state:void 0,history:[],isLive:!1,error:void 0};async function it(e,t,n){let o=ve,r=({name:i,data:s})=>{if(i!=="state"||t.aborted)return;o=ve;let a=JSON.parse(s);n(({history:u})=>({state:a,history:[...u,a].slice(-st),isLive:!0,error:void 0}))};for(;!t.aborted;){let i;try{await se(await G(e,{signal:t}),r)}catch(s){i=s}if(t.aborted||(n(s=>({...s,isLive:!1,error:i})),i?.status===401||i?.status===403||i?.status===404))return;await at(o,t),o=Math.min(2*o,rt)}}function at(e,t){return new Promise(n=>{let o=setTimeout(n,e);t.addEventListener("abort",()=>{clearTimeout(o),n()},{once:!0})})}var ct=new Map([["closed",{tone:"good",text:"Closed",title:"Requests are sent"}],["open",{tone:"bad",text:"Open",title:"Too many failures: requests use other targets"}],["half_open",{tone:"warn",text:"Half-open",title:"One request tries the provider again"}]]);function wn({state:e}){let{tone:t,text:n,title:o}=ct.get(e)??{tone:"",text:e,title:""};return d`<span class=${`badge ${t}`} title=${o}>${n}</span>`}export{ft as a,Te as b,pt as c,_e as d,mt as e,$t as f,ht as g,bt as h,vt as i,St as j,kt as k,Lt as l,Et as m,E as n,Ie as o,_t as p,At as q,Ct as r,Mt as s,It as t,Dt as u,De as v,Kt as w,Nt as x,pe as y,Bt as z,qt as A,nn as B,be as C,tt as D,nt as E,cn as F,dn as G,un as H,ln as I,hn as J,wn as K};
