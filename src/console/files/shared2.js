import{A as ae,B as ce,C as le,D as N,H as M,J as ue,K as X,L as de,M as x,N as P,S as fe,W as v,X as T,Y as pe,Z as K,_ as D,c as $,ca as he,d as y,e as C,f as b,fa as O,g as W,h as j,i as c,ia as S,j as Q,m as ee,ma as G,n as te,qa as me,ra as $e,s as ne,ta as ge,u as oe,v as _,x as re,y as se,ya as ye,z as ie}from"./shared1.js";function qt(){let[,e]=$(0);return y(()=>ne(()=>e(t=>t+1)),[]),{hasAdmin:te()!=="",hasService:ee()!==""}}var be=2e3,je=15e3;function Xe(e,t){let n=b(be);y(()=>{if(e===void 0&&(n.current=be),!e?.isPassing)return;let o=setTimeout(t,n.current);return n.current=Math.min(2*n.current,je),()=>clearTimeout(o)},[e])}function Ht(e,t,n=!0){let o=b(e);o.current=e,y(()=>{if(!n)return;let r=setInterval(()=>document.hidden||o.current(),t);return()=>clearInterval(r)},[t,n])}function Ge(e){let t=b([]);return y(()=>void(t.current=e),e),e.some((n,o)=>n!==t.current[o])}function z(e,t){let[n,o]=$({data:void 0,error:void 0,isLoading:!0}),[r,s]=$(0),i=Ge([...t,r]),a=b(e);a.current=e,y(()=>{let h=new AbortController,{signal:f}=h;return o(d=>({...d,isLoading:!0})),a.current(f).then(d=>f.aborted||o({data:d,error:void 0,isLoading:!1}),d=>f.aborted||o(({data:m})=>({data:d.isPassing?m:void 0,error:d,isLoading:!1}))),()=>h.abort()},[...t,r]);let l=j(()=>s(h=>h+1),[]);Xe(n.error,l);let u=j(h=>o(f=>({...f,data:h})),[]);return{...n,isLoading:n.isLoading||i,reload:l,setData:u}}function Wt({hasAdmin:e},t,n){let o=n===void 0?"":new URLSearchParams(n).toString();return`/v1/${e?"admin/":""}${t}${o===""?"":`?${o}`}`}var ze=1e3;async function jt(e,t){let n=[];for(let o="";o!==void 0;){let r=new URLSearchParams({...e,limit:ze,...o!==""&&{after:o}}),{data:s,has_more:i}=await _(`/v1/admin/keys?${r}`,{signal:t});n.push(...s),o=i?s.at(-1).id:void 0}return n}function Vt({title:e,note:t,children:n}){return c`
    <header class="view-head">
      <div class="view-title">
        <h1>${e}</h1>
        ${t&&c`<p class="soft">${t}</p>`}
      </div>
      <div class="view-tools">${n}</div>
    </header>
  `}function Jt({what:e}){let[t,n]=$(!1);return c`
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
    ${t&&c`
      <${M} title="Your keys" onClose=${()=>n(!1)}>
        <${ye} onDone=${()=>n(!1)} />
        <//>
    `}
  `}function Zt({label:e,value:t,note:n,tone:o="",children:r}){return c`
    <div class=${`figure ${o}`}>
      <dt>${e}</dt>
      <dd>
        <div class="figure-line">
          <span class="figure-value">${t}</span>
          ${n&&c`
            <span class="figure-note">${n}</span>
          `}
        </div>
        ${r}
      </dd>
    </div>
  `}function we({label:e,children:t,class:n=""}){return c`
    <div class=${`table-scroll ${n}`} role="group" aria-label=${e} tabindex="0">
      <table>
        <caption class="only-read">${e}</caption>
        ${t}
      </table>
    </div>
  `}function Qt({value:e,format:t=String}){return e==null?c`<span class="faint">unknown</span>`:c`${t(e)}`}var xe={hour:"2-digit",minute:"2-digit"},ve={day:"numeric",month:"short",...xe};function Ye(e){let t=({incident:n,recent:o})=>n?.failures??o.failures;return e.toSorted((n,o)=>pe(n.state,o.state)||t(o)-t(n))}function Ve(e){return Ye(e.filter(({state:t})=>T(t)))}function rn({at:e,reading:t,since:n,targets:o}){let r=Date.parse(e),[s,...i]=Ve(o);if(s===void 0)return{title:Je(o),text:Ze(n,t)};let a=[`${et(K(s,r))}.`,D(s)&&`${D(s)}.`,i.length>0&&`${P(i.length,"more target needs","more targets need")} a look.`],l=s.since===null?"":` since ${Y(s.since,r)}`;return{title:`${Qe(s)} ${v.get(s.state).verb}${l}`,text:a.filter(u=>u).join(" ")}}function Je(e){let t=e.filter(({state:n})=>n!=="unused");return t.length===0?"No target was used in 24 hours":t.length===1?"The only used target is OK":`All ${t.length} used targets are OK`}function Ze(e,t){return t?"The last day is still being read from the ledger.":`Known since ${S(O(),ve).format(new Date(e))}.`}function Qe({provider:e,upstream:t}){return t===""?e:`${e} ${t}`}function Y(e,t){let n=t-Date.parse(e)<72e6;return S(O(),n?xe:ve).format(new Date(e))}function et(e){return e.charAt(0).toUpperCase()+e.slice(1)}function an(e,t,n){let o=URL.createObjectURL(new Blob([t],{type:n})),r=document.createElement("a");r.href=o,r.download=e,r.click(),URL.revokeObjectURL(o)}var I=["id","key","model","provider","status","tag","end_user","session","min_ms","min_cost_usd","path"],tt=["time","status","model","provider","key","path","ms","cost_usd","input_tokens","output_tokens","first_token_ms","attempt_count"],nt="24h",ot={...Object.fromEntries(I.map(e=>[e,""])),range:"",from:"",to:"",sort:"",order:""};function un(e){let t=e.get("order")==="asc",n=tt.find(s=>s===e.get("sort"))??"",o=n==="time"&&!t?"":n;return{...{...Object.fromEntries(I.map(s=>[s,e.get(s)??""])),sort:o,order:o!==""&&t?"asc":""},...$e(e,nt)}}function dn(e){return I.some(t=>e[t]!=="")}function fn(e,t,n){let o=r=>new Date(r).toISOString();return{...e,range:"custom",from:o(t),to:o(n)}}function pn({range:e,from:t,to:n}){return{...ot,range:e,from:t,to:n}}function hn(e,t,n){let o=new URLSearchParams;for(let i of[...I,...me,"sort","order"]){let a=e[i]??"";a!==""&&!(i==="range"&&a==="custom")&&o.set(i,a)}t!==void 0&&n&&o.set("time",n);let r=o.toString(),s=t===void 0?"#/requests":`#/requests/${encodeURIComponent(t)}`;return r===""?s:`${s}?${r}`}function mn(e,t,n){let{from:o,isOpen:r,to:s}=rt(e,t,n),i=l=>new Date(l).toISOString(),a=new URLSearchParams({from:i(o),...!r&&{to:i(s)}});for(let l of I)e[l]!==""&&a.set(l,e[l]);return a}function rt(e,t,n){return ge(e,t,n)}var st={timeStyle:"medium"},Se={day:"numeric",month:"short",hour:"2-digit",minute:"2-digit",second:"2-digit"},it={dateStyle:"medium",timeStyle:"long"},at={dateStyle:"medium"};function bn(e,t=Q()){let n=O(),o=new Date(e),r=G(o.getTime(),n)===G(t,n);return S(n,r?st:Se).format(o)}function Le(e){return S(O(),it).format(new Date(e))}function wn(e){let t=S(O(),Se).format(new Date(e));return e%6e4===0?t.replace(/:00$/,""):t}var ke=[[864e5,"d"],[36e5,"h"],[6e4,"min"],[1e3,"s"]];function xn(e){let[t,n]=ke.find(([o])=>e%o===0)??ke.at(-1);return`${e/t} ${n}`}function vn(e){return S("UTC",at).format(new Date(e*1e3))}function Te({label:e,anchor:t,items:n,onClose:o}){let r=b(null),[s,i]=$(void 0);C(()=>{r.current.showPopover(),ct(r.current,t),r.current.querySelector("[role=menuitem]")?.focus()},[]),y(()=>{let u=({target:h})=>{!r.current?.contains(h)&&!t.contains(h)&&o()};return addEventListener("pointerdown",u),addEventListener("scroll",o,{capture:!0,passive:!0}),addEventListener("resize",o),()=>{removeEventListener("pointerdown",u),removeEventListener("scroll",o,{capture:!0}),removeEventListener("resize",o)}},[]);let a=()=>{o(),t.isConnected&&t.focus({preventScroll:!0})},l=async u=>{if(u.copy!==void 0)return i(await re(u.copy)?u.text:void 0);a(),u.run?.()};return c`
    <div class="row-menu" popover="manual" role="menu" aria-label=${`Actions: ${e}`} ref=${r}
      onKeyDown=${u=>lt(u,r.current,a)}>
      ${n.map(u=>u.href===void 0?c`
            <button type="button" key=${u.text} role="menuitem" tabindex="-1"
              class=${u.isDanger?"danger":""} onClick=${()=>l(u)}
            ><span aria-live="polite">${s===u.text?"Copied":u.text}</span></button>
          `:c`
            <a key=${u.text} role="menuitem" tabindex="-1" href=${u.href} onClick=${a}
            >${u.text}</a>
          `)}
    </div>
  `}function ct(e,t){let n=t.getBoundingClientRect(),o=n.bottom+e.offsetHeight+8>innerHeight;e.style.left=`${Math.max(8,n.right-e.offsetWidth)}px`,e.style.top=`${o?Math.max(8,n.top-e.offsetHeight-4):n.bottom+4}px`}function lt(e,t,n){let o=[...t.querySelectorAll("[role=menuitem]")],r=o.indexOf(document.activeElement),s={ArrowDown:(r+1)%o.length,ArrowUp:(r+o.length-1)%o.length,Home:0,End:o.length-1};e.stopPropagation(),e.key==="Escape"||e.key==="Tab"?(e.preventDefault(),n()):Object.hasOwn(s,e.key)&&(e.preventDefault(),o[s[e.key]].focus())}var Oe=100,Ee=24,V=32,ut=60,dt=2e3,ft=matchMedia("(max-width: 719px)");function Re(e,t){let n=t>Oe,[o,r]=$({from:0,to:Oe,height:V});return C(()=>{if(!n)return;let s=l=>r(u=>u.from===l.from&&u.to===l.to&&u.height===l.height?u:l),i=()=>{let l=ft.matches?ut:V,{top:u,bottom:h}=e.current.getBoundingClientRect(),f=e.current.querySelector("tbody").getBoundingClientRect().top,d={top:Math.max(0,u),bottom:Math.min(innerHeight,h)};s({...le({count:t,height:l,start:f,...d}),height:l})},a=()=>r({from:0,to:Math.min(t,dt),height:V});return i(),addEventListener("scroll",i,{capture:!0,passive:!0}),addEventListener("resize",i),addEventListener("beforeprint",a),addEventListener("afterprint",i),()=>{removeEventListener("scroll",i,{capture:!0}),removeEventListener("resize",i),removeEventListener("beforeprint",a),removeEventListener("afterprint",i)}},[t,n]),n?{...o,from:Math.min(o.from,t),to:Math.min(o.to,t),isLong:n}:{from:0,to:t,height:o.height,isLong:n}}function Ce(e){y(()=>{let{current:t}=e,n=()=>{let{clientWidth:r,scrollLeft:s,scrollWidth:i}=t;t.toggleAttribute("data-left",s>0),t.toggleAttribute("data-right",s+r<i-1)},o=new ResizeObserver(n);return o.observe(t),o.observe(t.firstElementChild),t.addEventListener("scroll",n,{passive:!0}),()=>{o.disconnect(),t.removeEventListener("scroll",n)}},[])}function _e(e,t){let[n,o]=$(void 0),r=b(void 0),s=b(void 0);return r.current={...t,cursor:n},y(()=>o(void 0),[t.current]),y(()=>{let i=a=>{if(!pt(a,e.current))return;let{current:l,cursor:u,hrefOf:h,idOf:f,onClose:d,rows:m}=r.current,p=m.findIndex(g=>f(g)===(u??l));if(a.key==="j"||a.key==="k"){let g=a.key==="j"?1:-1,w=Math.min(m.length-1,Math.max(0,p+g));if(m.length===0)return;ht(e.current,w,r.current),s.current=f(m[w]),o(s.current)}else if(a.key==="Enter"&&p>=0&&!a.target.closest("a, button, input")){let g=h?.(m[p]);g!==void 0&&(location.hash=g)}else if(a.key==="Escape"&&d!==void 0)d();else return;a.preventDefault()};return addEventListener("keydown",i),()=>removeEventListener("keydown",i)},[]),y(()=>{if(s.current===void 0)return;let i=e.current.querySelector(`[data-row="${CSS.escape(s.current)}"]`);i!==null&&(s.current=void 0,t.isLong||i.scrollIntoView({block:"nearest"}),i.querySelector(".k :is(a, button), .act button")?.focus({preventScroll:!0}))}),{cursor:n}}function pt(e,t){if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return!1;let{target:n}=e;return n.matches?.("textarea, select, [contenteditable], input:not([type=checkbox])")||document.querySelector("dialog[open]")!==null?!1:(n.closest?.(".tbl")??document.querySelector(".tbl"))===t}function ht(e,t,{height:n,isLong:o}){if(!o)return;let r=e.querySelector("tbody").getBoundingClientRect(),s=e.getBoundingClientRect(),i=e.querySelector("thead").getBoundingClientRect().height,a=e.scrollHeight>e.clientHeight+1,l=document.querySelector(".top-bar").getBoundingClientRect().bottom,u=r.top+t*n,h=Math.max(a?s.top+i:0,l),f=Math.min(a?s.bottom:1/0,innerHeight)-n,d=u<h?u-h:u>f?u-f:0;d!==0&&(a?e:globalThis).scrollBy({top:d,behavior:"instant"})}function Nn(e){let{label:t,columns:n,rows:o,idOf:r,order:s,onOrder:i,current:a,hasPanel:l}=e,[u,h]=$(s),f=i===void 0?u:s,d=i??h,m=W(()=>ce(n,o,f.id),[n,o,f.id]),p=W(()=>i!==void 0?o:ae(o,n.find(({id:L})=>L===f.id),f.isRising),[o,n,f.id,f.isRising,i===void 0]),g=b(null),[w,U]=$(null),{from:k,to:E,height:q,isLong:R}=Re(g,p.length),Ue=_e(g,{...e,rows:p,height:q,isLong:R,current:a});Ce(g);let qe=m.some(({foot:L})=>L!==void 0),H=m.length+(e.actionsOf===void 0?0:1);return c`
    <${xt} columns=${m} order=${f} onOrder=${d} />
    <div
      class=${`tbl${p.length>Ee?" tall":""}${R?" long":""}${l?" has-panel":""}`}
      ref=${g}
      role="group"
      aria-label=${t}
      tabindex="0"
    >
      <table role="table" aria-rowcount=${R?p.length+1:void 0}>
        <caption class="only-read">${t}</caption>
        <${$t} ...${e} columns=${m} order=${f} setOrder=${d} />
        <tbody role="rowgroup">
          ${R&&c`<${Ae} key="before" rows=${k} height=${q} span=${H} />`}
          ${p.slice(k,E).map((L,He)=>{let A=r(L);return c`
              <${gt} ...${e} key=${A} id=${A} row=${L} columns=${m}
                order=${f}
                index=${R?k+He:void 0}
                isCurrent=${A===a||A===Ue.cursor}
                onMenu=${We=>U({id:A,row:L,anchor:We})} openId=${w?.id} />
            `})}
          ${R&&c`
            <${Ae} key="after" rows=${p.length-E} height=${q} span=${H} />
          `}
        </tbody>
        ${qe&&c`<${wt} columns=${m} hasActions=${H>m.length} />`}
      </table>
    </div>
    ${w!==null&&c`
      <${Te} key=${w.id} label=${String(n[0].of(w.row))} anchor=${w.anchor}
        items=${e.actionsOf(w.row)} onClose=${()=>U(null)} />
    `}
  `}function Ae({rows:e,height:t,span:n}){return c`
    <tr class="gap" aria-hidden="true" style=${{height:`${e*t}px`}}>
      <td colspan=${n}></td>
    </tr>
  `}function mt({id:e,isRisingFirst:t},n){return{id:e,isRising:n.id===e?!n.isRising:t===!0}}function B({isNumber:e,isProse:t,panel:n,class:o},r){let s=n!==void 0&&!r?`panel-${n}`:"";return[e&&"num",t&&"why",s,o].filter(Boolean).join(" ")}function $t({columns:e,order:t,setOrder:n,marks:o,rows:r,actionsOf:s}){return c`
    <thead role="rowgroup">
      <tr role="row">
        ${e.map((i,a)=>{let l=i.id===t.id,u=t.isRising?"ascending":"descending";return c`
            <th key=${i.id} scope="col" role="columnheader" title=${i.hint}
              class=${`${a===0?"k ":""}${B(i,l)}`}
              aria-sort=${l?u:void 0}>
              ${a===0&&o&&c`
                <input type="checkbox" aria-label="Choose all rows"
                  checked=${r.length>0&&o.ids.size===r.length}
                  onChange=${h=>o.onAll(h.target.checked)} />
              `}
              ${i.of===void 0?i.title:c`
                <button type="button" class="sort" onClick=${()=>n(mt(i,t))}>
                  ${i.title}
                  <span aria-hidden="true">${l?t.isRising?"\u2191":"\u2193":""}</span>
                </button>
              `}
            </th>
          `})}
        ${s&&c`
          <th class="act" role="columnheader"><span class="only-read">Actions</span></th>
        `}
      </tr>
    </thead>
  `}function gt(e){let{id:t,row:n,columns:o,order:r,index:s,isCurrent:i,marks:a,hrefOf:l,actionsOf:u,onMenu:h}=e,f=l?.(n),d=p=>{let g=p.target.closest("a, button, input")||String(getSelection())!=="";f!==void 0&&!g&&(location.hash=f)},m=u?.(n)??[];return c`
    <tr role="row" data-row=${t} class=${e.classOf?.(n)} onClick=${d}
      aria-rowindex=${s===void 0?void 0:s+2}
      data-current=${i||void 0} data-link=${f!==void 0||void 0}>
      ${o.map((p,g)=>g===0?c`
            <th key=${p.id} scope="row" role="rowheader" data-m=${p.card??"a"}
              class=${`k ${B(p,!0)}`}>
              ${a&&c`
                <input type="checkbox" aria-label=${`Choose ${p.of(n)}`}
                  checked=${a.ids.has(t)} onChange=${()=>a.onToggle(t)} />
              `}
              <${yt} column=${p} row=${n} href=${f}
                isOpen=${t===e.current} />
            </th>
          `:c`
            <td key=${p.id} role="cell" data-m=${p.card} data-l=${p.mark}
              class=${B(p,p.id===r.id)}>${bt(p,n)}</td>
          `)}
      ${u&&c`
        <td class="act" role="cell">
          ${m.length>0&&c`
            <button type="button" class="icon quiet small" aria-haspopup="menu"
              aria-expanded=${String(e.openId===t)}
              aria-label=${`Actions: ${o[0].of(n)}`}
              onClick=${p=>h(p.currentTarget)}><${se} name="more" /></button>
          `}
        </td>
      `}
    </tr>
  `}function yt({column:e,row:t,href:n,isOpen:o}){let r=e.cell?.(t)??c`<${ue} text=${String(e.of(t))} />`;return n===void 0?r:c`<a href=${n} aria-current=${o?"true":void 0}>${r}</a>`}function bt({cell:e,of:t,text:n=String},o){if(e!==void 0)return e(o)??"\u2013";let r=t(o);return ie(r)?"\u2013":n(r,o)}function wt({columns:e,hasActions:t}){return c`
    <tfoot role="rowgroup">
      <tr role="row" class="sum">
        ${e.map((n,o)=>o===0?c`<th key=${n.id} scope="row" role="rowheader" class="k" data-m="a">${n.foot}</th>`:c`
              <td key=${n.id} role="cell" data-m=${n.card} data-l=${n.mark}
                class=${B(n,!1)}>${n.foot}</td>
            `)}
        ${t&&c`<td class="act" role="cell"></td>`}
      </tr>
    </tfoot>
  `}function xt({columns:e,order:t,onOrder:n}){let o=b(null),r=`${t.id} ${t.isRising?"up":"down"}`;C(()=>void(o.current.value=r),[r,e]);let s=e.filter(({of:a})=>a!==void 0).flatMap(({id:a,title:l})=>[[`${a} down`,`${l} \u2193`],[`${a} up`,`${l} \u2191`]]);return c`
    <label class="phone-sort">Sorted by
      <select ref=${o} onChange=${({target:a})=>{let[l,u]=a.value.split(" ");n({id:l,isRising:u==="up"})}}>
        ${s.map(([a,l])=>c`<option key=${a} value=${a}>${l}</option>`)}
      </select>
    </label>
  `}var vt=.05,kt=.5,J=new Map([["failing",v.get("failing")],["degraded",v.get("degraded")],["limited",{tone:"warn",text:"Keys suspended"}],["slow",v.get("slow")],["silent",v.get("silent")],["ok",v.get("ok")],["unused",v.get("unused")]]),F=[...J.keys()];function St({breaker:e,health:t,keys:n,resting_keys:o}){if(e==="open"||n>0&&o>=n)return"failing";let r=t?.state??"unused",s=F.indexOf(r)<F.indexOf("limited");return o>0&&!s?"limited":r}function Me(e){return e.map(t=>({...t,state:St(t)})).toSorted((t,n)=>F.indexOf(t.state)-F.indexOf(n.state))}function Un({providers:e}){let t=Me(e.filter(({enabled:r})=>r)),o=[...Map.groupBy(t,({state:r})=>r)].filter(([r])=>r==="limited"||T(r)).map(([r,{length:s}])=>`${x(s)} ${J.get(r).text.toLowerCase()}`);return o.length>0?`Providers: ${o.join(", ")}`:t.length===0?"No provider is enabled":`${P(t.length,"provider")}, no problem`}function qn({providers:e,models:t=[]},n){return Me(e.filter(({enabled:o})=>o)).filter(({state:o})=>o==="limited"||T(o)).map(o=>{let r=t.filter(({provider:i})=>i===o.id),{tone:s}=J.get(o.state);return{id:o.id,tone:s,text:Lt(o,r,n)}})}function Lt({health:e,keys:t,resting_keys:n},o,r){let s=o.filter(({breaker:a})=>a==="open").map(({id:a})=>a);return[e?.since&&T(e.state)&&`${v.get(e.state).text.toLowerCase()} since ${Y(e.since,r)}`,e&&T(e.state)&&K(e,r),e&&D(e),s.length>0&&`${s.join(", ")}: breaker open`,n>0&&`${n} of ${t} keys suspended`].filter(a=>a).join("; ")}function Hn({error:e,status:t,cause:n}){let o=e===String(t)?e:`${e} (${t})`;return n?`${o}: ${n}`:o}function Wn(e){let t=e.filter(s=>s!==null),n=t.reduce((s,[i])=>s+i,0),o=t.reduce((s,[,i])=>s+i,0);if(n===0)return"No attempts in 24 hours";let r=t.reduce((s,[i,a])=>Math.max(s,a/i),0);return`24 hours: ${x(o)} of ${x(n)} attempts failed`+(o>0?`; ${fe(r,1)} in the worst hour`:"")}function jn(e){if(e===null||e[0]===0)return null;let t=e[1]/e[0];return t>=kt?"bad":t>=vt?"warn":"good"}var De=1e3,Tt=15e3,Ot=60;function Vn(e){let[t,n]=$(Ie);return y(()=>{n(Ie);let o,r=()=>{o=new AbortController,Et(e,o.signal,n)},s=()=>{o?.abort(),document.visibilityState==="visible"?r():n(i=>({...i,isLive:!1}))};return document.visibilityState==="visible"&&r(),document.addEventListener("visibilitychange",s),()=>{document.removeEventListener("visibilitychange",s),o?.abort()}},[e]),t}var Ie={state:void 0,history:[],isLive:!1,error:void 0};async function Et(e,t,n){let o=De,r=({name:s,data:i})=>{if(s!=="state"||t.aborted)return;o=De;let a=JSON.parse(i);n(({history:l})=>({state:a,history:[...l,a].slice(-Ot),isLive:!0,error:void 0}))};for(;!t.aborted;){let s;try{await he(await oe(e,{signal:t}),r)}catch(i){s=i}if(t.aborted||(n(i=>({...i,isLive:!1,error:s})),s?.status===401||s?.status===403||s?.status===404))return;await Rt(o,t),o=Math.min(2*o,Tt)}}function Rt(e,t){return new Promise(n=>{let o=setTimeout(n,e);t.addEventListener("abort",()=>{clearTimeout(o),n()},{once:!0})})}function Pe(e,t){let[n,o]=[e.split(`
`),t.split(`
`)],r=0;for(;r<n.length&&r<o.length&&n[r]===o[r];)r++;let s=0;for(;s<n.length-r&&s<o.length-r&&n[n.length-1-s]===o[o.length-1-s];)s++;let i=Ct(n.slice(r,n.length-s),o.slice(r,o.length-s));if(i.length===0)return[];let a=[],[l,u]=[r,r];for(let{sign:d,text:m}of i)a.push({sign:d,text:m,line:d==="-"?l+1:u+1}),d!=="+"&&l++,d!=="-"&&u++;let h=o.slice(Math.max(0,r-3),r).map((d,m,{length:p})=>({sign:" ",text:d,line:r-p+m+1})),f=o.slice(u,u+3).map((d,m)=>({sign:" ",text:d,line:u+m+1}));return _t([...h,...a,...f])}function Ct(e,t){if(e.length*t.length>4e6)return Ne(e,t);let n=t.length+1,o=new Uint32Array((e.length+1)*n);for(let a=e.length-1;a>=0;a--)for(let l=t.length-1;l>=0;l--)o[a*n+l]=e[a]===t[l]?o[(a+1)*n+l+1]+1:Math.max(o[(a+1)*n+l],o[a*n+l+1]);let r=[],[s,i]=[0,0];for(;s<e.length&&i<t.length;)e[s]===t[i]?(r.push({sign:" ",text:e[s]}),s++,i++):o[(s+1)*n+i]>=o[s*n+i+1]?r.push({sign:"-",text:e[s++]}):r.push({sign:"+",text:t[i++]});return[...r,...Ne(e.slice(s),t.slice(i))]}function Ne(e,t){return[...e.map(n=>({sign:"-",text:n})),...t.map(n=>({sign:"+",text:n}))]}function _t(e){let t=[],n=-1/0;for(let[o,r]of e.entries())e.slice(Math.max(0,o-3),o+3+1).some(({sign:i})=>i!==" ")&&(o!==n+1&&t.push([]),t.at(-1).push(r),n=o);return t}var At=new Map([["providers","Provider"],["models","Model"],["aliases","Alias"],["pins","Pin"],["limits","Limit"],["keys","Service key"],["admin_keys","Admin key"],["settings","Setting"]]),Mt={added:"good",removed:"bad",changed:"accent"};function Ke({check:e,onGo:t}){let{problems:n,more_problems:o}=e;return n.length===0?c`<p class="row"><span class="badge good">valid</span> No problems</p>`:c`
    <ol class="config-problems">
      ${n.map((r,s)=>c`
          <li key=${s}>
            ${r.line?c`
                <button type="button" class="link" onClick=${()=>t(r)}>
                  Line ${r.line}, column ${r.column??1}
                </button>
              `:c`<strong>File</strong>`}
            <span class="wrap-anywhere">
              ${r.path&&c`<code>${r.path}</code>${": "}`}${r.message}
            </span>
          </li>
        `)}
    </ol>
    ${o>0&&c`<p class="hint">${x(o)} more problems</p>`}
  `}function Be({check:e}){let{changes:t,more_changes:n}=e;return t.length===0?c`<p class="soft">It changes nothing in the current configuration.</p>`:c`
    <${we} label="Changes to the current configuration" class="config-changes">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Name</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        ${t.map(({section:o,name:r,change:s,before:i,after:a})=>c`
            <tr key=${`${o} ${r}`}>
              <td>${At.get(o)??o}</td>
              <th scope="row" class="mono wrap-anywhere">${r}</th>
              <td>
                <span class=${`badge ${Mt[s]}`}>${s}</span>
                ${i!==void 0&&c`<del class="mono wrap-anywhere">${i}</del>`}
                ${a!==void 0&&c`<ins class="mono wrap-anywhere">${a}</ins>`}
              </td>
            </tr>
          `)}
      </tbody>
      <//>
    ${n>0&&c`<p class="hint">${x(n)} more changes</p>`}
  `}function Z({before:e,after:t,label:n}){let o=Pe(e,t);return o.length===0?c`<p class="soft">The texts are the same.</p>`:c`
    <div class="line-diff" role="group" aria-label=${n} tabindex="0">
      ${o.map((r,s)=>c`
          <div key=${s} class="line-group">
            ${r.map(({sign:i,text:a,line:l},u)=>c`
                <div key=${u} class=${Dt[i]}>
                  <span class="faint">${l}</span>
                  <span class="only-read">${It[i]}</span>
                  <code>${`${i} ${a}`}</code>
                </div>
              `)}
          </div>
        `)}
    </div>
  `}var Dt={"+":"added","-":"removed"," ":""},It={"+":"added","-":"removed"," ":""};function uo({config:e,base:t,text:n,onSaved:o,onReload:r,onClose:s}){let{data:i,error:a}=z(k=>_("/v1/admin/config/check",{body:{text:n},signal:k}),[n]),[l,u]=$({}),[h,f]=$(""),d=de("reason"),{isBusy:m,error:p}=l,g=p?.code==="config_changed",w=e.editable&&!m&&!g&&i?.valid&&n!==t;return c`
    <${M} title="Review the changes" onClose=${s} class="wide">
      <form class="stack wide" onSubmit=${async k=>{if(k.preventDefault(),!!w){u({isBusy:!0});try{let E={text:n,hash:e.hash,...h.trim()!==""&&{reason:h}};o(await _("/v1/admin/config",{body:E}))}catch(E){u({error:E})}}}}>
        <${N} error=${a} title="Not checked" />
        ${!i&&!a&&c`<${X} text="Checking" />`}
        ${i&&!i.valid&&c`<${Ke} check=${i} onGo=${s} />`}
        ${i?.valid&&c`
          <section class="stack">
            <h3>Changes to the current configuration</h3>
            <${Be} check=${i} />
          </section>
        `}
        <section class="stack">
          <h3>Lines of the file</h3>
          <${Z} before=${t} after=${n} label="Lines that differ" />
        </section>
        ${e.editable&&c`
          <div class="field">
            <label for=${d}>Why</label>
            <input
              id=${d}
              value=${h}
              maxlength="200"
              autocomplete="off"
              aria-describedby=${`${d}-hint`}
              onInput=${({target:k})=>f(k.value)}
            />
            <span class="hint" id=${`${d}-hint`}>
              Optional. The history shows it with the name of your key.
            </span>
          </div>
        `}
        <${N} error=${p} title="Not saved" />
        ${!e.editable&&c`<p class="hint">${e.read_only_reason}</p>`}
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          ${g&&c`
            <button type="button" onClick=${r}>Compare with the file as it is now</button>
          `}
          ${e.editable&&c`
            <button type="submit" class="primary" disabled=${!w}>Save and load</button>
          `}
        </div>
      </form>
      <//>
  `}function fo({version:e,base:t,onUse:n,onClose:o}){let r=`/v1/admin/config/versions/${encodeURIComponent(e.id)}`,{data:s,error:i}=z(a=>_(r,{signal:a}),[r]);return c`
    <${M} title=${`Until ${Le(e.replaced_at)}`} onClose=${o} class="wide">
      <div class="stack">
        <p class="soft wrap-anywhere">
          It was replaced by ${e.by}${e.reason&&`: \u201C${e.reason}\u201D`}. What it would
          change in the file:
        </p>
        <${N} error=${i} title="The text cannot be shown" />
        ${!s&&!i&&c`<${X} />`}
        ${s&&c`
          <${Z} before=${t} after=${s.text} label="Lines that differ" />
        `}
        <div class="row end">
          <button type="button" onClick=${o}>Cancel</button>
          <button type="button" class="primary" disabled=${!s} onClick=${()=>n(s.text)}>
            Put it into the editor
          </button>
        </div>
      </div>
      <//>
  `}var Fe=[{id:"searches",title:"Searches",text:x,setting:"thousand_searches",quantity:1e3,per:"1,000 searches"},{id:"images",title:"Images",text:x,setting:"image",quantity:1,per:"image"},{id:"characters",title:"Characters spoken",text:x,setting:"million_characters",quantity:1e6,per:"million characters"},{id:"seconds",title:"Audio",text:Pt,setting:"minute",quantity:60,per:"minute"}];function mo(e){return Fe.filter(({id:t})=>e.some(n=>n?.[t]>0))}function Nt({per:e,quantity:t},n){return`$${Number((n*t).toPrecision(3))} per ${e}`}function $o(e){return Fe.filter(({id:t})=>e?.units?.[t]!==void 0).map(t=>Nt(t,e.units[t.id]))}function Pt(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${x(Math.floor(t/60))} min ${t%60} s`}var Kt=new Map([["closed",{tone:"good",text:"Closed",title:"Requests are sent"}],["open",{tone:"bad",text:"Open",title:"Too many failures: requests use other targets"}],["half_open",{tone:"warn",text:"Half-open",title:"One request tries the provider again"}]]);function bo({state:e}){let{tone:t,text:n,title:o}=Kt.get(e)??{tone:"",text:e,title:""};return c`<span class=${`badge ${t}`} title=${o}>${n}</span>`}export{qt as a,Xe as b,Ht as c,Ge as d,z as e,Wt as f,jt as g,Vt as h,Jt as i,Zt as j,we as k,Qt as l,Ve as m,rn as n,Y as o,an as p,I as q,ot as r,un as s,dn as t,fn as u,pn as v,hn as w,mn as x,rt as y,Fe as z,mo as A,Nt as B,$o as C,bn as D,Le as E,wn as F,xn as G,vn as H,Nn as I,J,St as K,Me as L,Un as M,qn as N,Hn as O,Wn as P,jn as Q,Vn as R,bo as S,Ke as T,Be as U,uo as V,fo as W};
