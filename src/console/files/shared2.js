import{A as re,B as oe,C as se,H as ie,J as ae,M as E,N as B,R as ce,T as H,V as y,W as k,X as ue,Y as C,Z as A,ba as de,c as h,d as x,e as R,ea as O,f as b,g as K,h as F,ha as v,i as u,j as Y,la as U,m as J,n as V,pa as le,qa as fe,s as X,sa as pe,u as Z,v as Q,x as ee,xa as me,y as te,z as ne}from"./shared1.js";function Et(){let[,e]=h(0);return x(()=>X(()=>e(t=>t+1)),[]),{hasAdmin:V()!=="",hasService:J()!==""}}var $e=2e3,De=15e3;function Ne(e,t){let n=b($e);x(()=>{if(e===void 0&&(n.current=$e),!e?.isPassing)return;let r=setTimeout(t,n.current);return n.current=Math.min(2*n.current,De),()=>clearTimeout(r)},[e])}function At(e,t,n=!0){let r=b(e);r.current=e,x(()=>{if(!n)return;let o=setInterval(()=>document.hidden||r.current(),t);return()=>clearInterval(o)},[t,n])}function Ke(e){let t=b([]);return x(()=>void(t.current=e),e),e.some((n,r)=>n!==t.current[r])}function _t(e,t){let[n,r]=h({data:void 0,error:void 0,isLoading:!0}),[o,s]=h(0),i=Ke([...t,o]),a=b(e);a.current=e,x(()=>{let p=new AbortController,{signal:l}=p;return r(m=>({...m,isLoading:!0})),a.current(l).then(m=>l.aborted||r({data:m,error:void 0,isLoading:!1}),m=>l.aborted||r(({data:$})=>({data:m.isPassing?$:void 0,error:m,isLoading:!1}))),()=>p.abort()},[...t,o]);let d=F(()=>s(p=>p+1),[]);Ne(n.error,d);let c=F(p=>r(l=>({...l,data:p})),[]);return{...n,isLoading:n.isLoading||i,reload:d,setData:c}}function Ct({hasAdmin:e},t,n){let r=n===void 0?"":new URLSearchParams(n).toString();return`/v1/${e?"admin/":""}${t}${r===""?"":`?${r}`}`}var Fe=1e3;async function Mt(e,t){let n=[];for(let r="";r!==void 0;){let o=new URLSearchParams({...e,limit:Fe,...r!==""&&{after:r}}),{data:s,has_more:i}=await Q(`/v1/admin/keys?${o}`,{signal:t});n.push(...s),r=i?s.at(-1).id:void 0}return n}function Kt({title:e,note:t,children:n}){return u`
    <header class="view-head">
      <div class="view-title">
        <h1>${e}</h1>
        ${t&&u`<p class="soft">${t}</p>`}
      </div>
      <div class="view-tools">${n}</div>
    </header>
  `}function Ft({what:e}){let[t,n]=h(!1);return u`
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
      <${ie} title="Your keys" onClose=${()=>n(!1)}>
        <${me} onDone=${()=>n(!1)} />
        <//>
    `}
  `}function Bt({label:e,value:t,note:n,tone:r="",children:o}){return u`
    <div class=${`figure ${r}`}>
      <dt>${e}</dt>
      <dd>
        <div class="figure-line">
          <span class="figure-value">${t}</span>
          ${n&&u`
            <span class="figure-note">${n}</span>
          `}
        </div>
        ${o}
      </dd>
    </div>
  `}function Ht({label:e,children:t,class:n=""}){return u`
    <div class=${`table-scroll ${n}`} role="group" aria-label=${e} tabindex="0">
      <table>
        <caption class="only-read">${e}</caption>
        ${t}
      </table>
    </div>
  `}function Ut({value:e,format:t=String}){return e==null?u`<span class="faint">unknown</span>`:u`${t(e)}`}var he={hour:"2-digit",minute:"2-digit"},ge={day:"numeric",month:"short",...he};function Be(e){let t=({incident:n,recent:r})=>n?.failures??r.failures;return e.toSorted((n,r)=>ue(n.state,r.state)||t(r)-t(n))}function He(e){return Be(e.filter(({state:t})=>k(t)))}function Gt({at:e,reading:t,since:n,targets:r}){let o=Date.parse(e),[s,...i]=He(r);if(s===void 0)return{title:Ue(r),text:je(n,t)};let a=[`${We(C(s,o))}.`,A(s)&&`${A(s)}.`,i.length>0&&`${i.length} more ${i.length===1?"target needs":"targets need"} a look.`],d=s.since===null?"":` since ${j(s.since,o)}`;return{title:`${qe(s)} ${y.get(s.state).verb}${d}`,text:a.filter(c=>c).join(" ")}}function Ue(e){let t=e.filter(({state:n})=>n!=="unused");return t.length===0?"No target has been asked in 24 hours":t.length===1?"The only used target is OK":`All ${t.length} used targets are OK`}function je(e,t){return t?"The last day is still being read from the ledger.":`Known since ${v(O(),ge).format(new Date(e))}.`}function qe({provider:e,upstream:t}){return t===""?e:`${e} ${t}`}function j(e,t){let n=t-Date.parse(e)<72e6;return v(O(),n?he:ge).format(new Date(e))}function We(e){return e.charAt(0).toUpperCase()+e.slice(1)}function Yt(e,t,n){let r=URL.createObjectURL(new Blob([t],{type:n})),o=document.createElement("a");o.href=r,o.download=e,o.click(),URL.revokeObjectURL(r)}var _=["id","key","model","provider","status","tag","end_user","session","min_ms","min_cost_usd","path"],Ge=["input_tokens","output_tokens","cost_usd","first_token_ms","ms","attempt_count"],ze="24h",Ye={...Object.fromEntries(_.map(e=>[e,""])),range:"",from:"",to:"",sort:"",order:""};function Xt(e){let t=Ge.find(r=>r===e.get("sort"))??"";return{...{...Object.fromEntries(_.map(r=>[r,e.get(r)??""])),sort:t,order:t!==""&&e.get("order")==="asc"?"asc":""},...fe(e,ze)}}function Zt(e){return _.some(t=>e[t]!=="")}function Qt(e,t,n){let r=o=>new Date(o).toISOString();return{...e,range:"custom",from:r(t),to:r(n)}}function en({range:e,from:t,to:n}){return{...Ye,range:e,from:t,to:n}}function tn(e,t,n){let r=new URLSearchParams;for(let i of[..._,...le,"sort","order"]){let a=e[i]??"";a!==""&&!(i==="range"&&a==="custom")&&r.set(i,a)}t!==void 0&&n&&r.set("time",n);let o=r.toString(),s=t===void 0?"#/requests":`#/requests/${encodeURIComponent(t)}`;return o===""?s:`${s}?${o}`}function nn(e,t,n){let{from:r,isOpen:o,to:s}=Je(e,t,n),i=d=>new Date(d).toISOString(),a=new URLSearchParams({from:i(r),...!o&&{to:i(s)}});for(let d of _)e[d]!==""&&a.set(d,e[d]);return a}function Je(e,t,n){return pe(e,t,n)}function sn({id:e,root:t}){return e===t?"model":e.startsWith(`${t}@`)?"pinned":"alias"}function an({context_window:e,max_output_tokens:t}){return[...e?[`${B(e)} context`]:[],...t?[`${B(t)} output`]:[]]}var xe=new Map([["images",[1,"image"]],["searches",[1e3,"1,000 searches"]],["characters",[1e6,"million characters"]],["seconds",[60,"minute"]]]);function Ve(e,t){let[n,r]=xe.get(e)??[1,e];return`$${Number((t*n).toPrecision(3))} per ${r}`}function be(e){return[...xe.keys()].filter(t=>e?.units?.[t]!==void 0).map(t=>Ve(t,e.units[t]))}function Xe(e){return e.input>0||e.output>0||be(e).length===0}function cn({prices:e}){return e?[...Xe(e)?[`${H(e.input)} in, ${H(e.output)} out`]:[],...be(e)].join(", "):void 0}var Ze=new Map([["tools","tools"],["vision","images"],["json_schema","JSON schema"],["reasoning","reasoning"]]);function un({capabilities:e}){return[...Ze].filter(([t])=>e?.[t]).map(([,t])=>t)}var Qe=["images","speech","transcription","rerank","embeddings","moderation"];function dn({capabilities:e,dimensions:t}){return Qe.find(r=>e?.[r]===!0)??(t===void 0?"chat":"embeddings")}var et={timeStyle:"medium"},we={day:"numeric",month:"short",hour:"2-digit",minute:"2-digit",second:"2-digit"},tt={dateStyle:"medium",timeStyle:"long"},nt={dateStyle:"medium"};function mn(e,t=Y()){let n=O(),r=new Date(e),o=U(r.getTime(),n)===U(t,n);return v(n,o?et:we).format(r)}function $n(e){return v(O(),tt).format(new Date(e))}function hn(e){let t=v(O(),we).format(new Date(e));return e%6e4===0?t.replace(/:00$/,""):t}var ye=[[864e5,"d"],[36e5,"h"],[6e4,"min"],[1e3,"s"]];function gn(e){let[t,n]=ye.find(([r])=>e%r===0)??ye.at(-1);return`${e/t} ${n}`}function xn(e){return v("UTC",nt).format(new Date(e*1e3))}function ve({label:e,anchor:t,items:n,onClose:r}){let o=b(null),[s,i]=h(void 0);R(()=>{o.current.showPopover(),rt(o.current,t),o.current.querySelector("[role=menuitem]")?.focus()},[]),x(()=>{let c=({target:p})=>{!o.current?.contains(p)&&!t.contains(p)&&r()};return addEventListener("pointerdown",c),addEventListener("scroll",r,{capture:!0,passive:!0}),addEventListener("resize",r),()=>{removeEventListener("pointerdown",c),removeEventListener("scroll",r,{capture:!0}),removeEventListener("resize",r)}},[]);let a=()=>{r(),t.isConnected&&t.focus({preventScroll:!0})},d=async c=>{if(c.copy!==void 0)return i(await ee(c.copy)?c.text:void 0);a(),c.run?.()};return u`
    <div class="row-menu" popover="manual" role="menu" aria-label=${`Actions: ${e}`} ref=${o}
      onKeyDown=${c=>ot(c,o.current,a)}>
      ${n.map(c=>c.href===void 0?u`
            <button type="button" key=${c.text} role="menuitem" tabindex="-1"
              class=${c.isDanger?"danger":""} onClick=${()=>d(c)}
            ><span aria-live="polite">${s===c.text?"Copied":c.text}</span></button>
          `:u`
            <a key=${c.text} role="menuitem" tabindex="-1" href=${c.href} onClick=${a}
            >${c.text}</a>
          `)}
    </div>
  `}function rt(e,t){let n=t.getBoundingClientRect(),r=n.bottom+e.offsetHeight+8>innerHeight;e.style.left=`${Math.max(8,n.right-e.offsetWidth)}px`,e.style.top=`${r?Math.max(8,n.top-e.offsetHeight-4):n.bottom+4}px`}function ot(e,t,n){let r=[...t.querySelectorAll("[role=menuitem]")],o=r.indexOf(document.activeElement),s={ArrowDown:(o+1)%r.length,ArrowUp:(o+r.length-1)%r.length,Home:0,End:r.length-1};e.stopPropagation(),e.key==="Escape"||e.key==="Tab"?(e.preventDefault(),n()):Object.hasOwn(s,e.key)&&(e.preventDefault(),r[s[e.key]].focus())}var Se=100,ke=24,q=32,st=60,it=2e3,at=matchMedia("(max-width: 719px)");function Oe(e,t){let n=t>Se,[r,o]=h({from:0,to:Se,height:q});return R(()=>{if(!n)return;let s=d=>o(c=>c.from===d.from&&c.to===d.to&&c.height===d.height?c:d),i=()=>{let d=at.matches?st:q,{top:c,bottom:p}=e.current.getBoundingClientRect(),l=e.current.querySelector("tbody").getBoundingClientRect().top,m={top:Math.max(0,c),bottom:Math.min(innerHeight,p)};s({...se({count:t,height:d,start:l,...m}),height:d})},a=()=>o({from:0,to:Math.min(t,it),height:q});return i(),addEventListener("scroll",i,{capture:!0,passive:!0}),addEventListener("resize",i),addEventListener("beforeprint",a),addEventListener("afterprint",i),()=>{removeEventListener("scroll",i,{capture:!0}),removeEventListener("resize",i),removeEventListener("beforeprint",a),removeEventListener("afterprint",i)}},[t,n]),n?{...r,from:Math.min(r.from,t),to:Math.min(r.to,t),isLong:n}:{from:0,to:t,height:r.height,isLong:n}}function Le(e){x(()=>{let{current:t}=e,n=()=>{let{clientWidth:o,scrollLeft:s,scrollWidth:i}=t;t.toggleAttribute("data-left",s>0),t.toggleAttribute("data-right",s+o<i-1)},r=new ResizeObserver(n);return r.observe(t),r.observe(t.firstElementChild),t.addEventListener("scroll",n,{passive:!0}),()=>{r.disconnect(),t.removeEventListener("scroll",n)}},[])}function Re(e,t){let[n,r]=h(void 0),o=b(void 0),s=b(!1);return o.current={...t,cursor:n},x(()=>r(void 0),[t.current]),x(()=>{let i=a=>{if(!ct(a,e.current))return;let{current:d,cursor:c,hrefOf:p,idOf:l,onClose:m,rows:$}=o.current,f=$.findIndex(g=>l(g)===(c??d));if(a.key==="j"||a.key==="k"){let g=a.key==="j"?1:-1,w=Math.min($.length-1,Math.max(0,f+g));if($.length===0)return;ut(e.current,w,o.current),s.current=!0,r(l($[w]))}else if(a.key==="Enter"&&f>=0&&!a.target.closest("a, button, input")){let g=p?.($[f]);g!==void 0&&(location.hash=g)}else if(a.key==="Escape"&&m!==void 0)m();else return;a.preventDefault()};return addEventListener("keydown",i),()=>removeEventListener("keydown",i)},[]),x(()=>{if(!s.current||n===void 0)return;let i=e.current.querySelector(`[data-row="${CSS.escape(n)}"]`);i!==null&&(s.current=!1,t.isLong||i.scrollIntoView({block:"nearest"}),i.querySelector(".k :is(a, button), .act button")?.focus({preventScroll:!0}))}),{cursor:n}}function ct(e,t){if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return!1;let{target:n}=e;return n.matches?.("textarea, select, [contenteditable], input:not([type=checkbox])")||document.querySelector("dialog[open]")!==null?!1:(n.closest?.(".tbl")??document.querySelector(".tbl"))===t}function ut(e,t,{height:n,isLong:r}){if(!r)return;let o=e.querySelector("tbody").getBoundingClientRect(),s=e.getBoundingClientRect(),i=e.querySelector("thead").getBoundingClientRect().height,a=e.scrollHeight>e.clientHeight+1,d=document.querySelector(".top-bar").getBoundingClientRect().bottom,c=o.top+t*n,p=Math.max(a?s.top+i:0,d),l=Math.min(a?s.bottom:1/0,innerHeight)-n,m=c<p?c-p:c>l?c-l:0;m!==0&&(a?e:globalThis).scrollBy({top:m,behavior:"instant"})}function Cn(e){let{label:t,columns:n,rows:r,idOf:o,order:s,onOrder:i,current:a,hasPanel:d}=e,[c,p]=h(s),l=i===void 0?c:s,m=i??p,$=K(()=>oe(n,r,l.id),[n,r,l.id]),f=K(()=>i!==void 0?r:re(r,n.find(({id:S})=>S===l.id),l.isRising),[r,n,l.id,l.isRising,i===void 0]),g=b(null),[w,G]=h(null),{from:P,to:z,height:D,isLong:L}=Oe(g,f.length),Ce=Re(g,{...e,rows:f,height:D,isLong:L,current:a});Le(g);let Me=$.some(({foot:S})=>S!==void 0),N=$.length+(e.actionsOf===void 0?0:1);return u`
    <${ht} columns=${$} order=${l} onOrder=${m} />
    <div
      class=${`tbl${f.length>ke?" tall":""}${L?" long":""}${d?" has-panel":""}`}
      ref=${g}
      role="group"
      aria-label=${t}
      tabindex="0"
    >
      <table role="table" aria-rowcount=${L?f.length+1:void 0}>
        <caption class="only-read">${t}</caption>
        <${lt} ...${e} columns=${$} order=${l} setOrder=${m} />
        <tbody role="rowgroup">
          ${L&&u`<${Te} key="before" rows=${P} height=${D} span=${N} />`}
          ${f.slice(P,z).map((S,Ie)=>{let T=o(S);return u`
              <${ft} ...${e} key=${T} id=${T} row=${S} columns=${$}
                order=${l}
                index=${L?P+Ie:void 0}
                isCurrent=${T===a||T===Ce.cursor}
                onMenu=${Pe=>G({id:T,row:S,anchor:Pe})} openId=${w?.id} />
            `})}
          ${L&&u`
            <${Te} key="after" rows=${f.length-z} height=${D} span=${N} />
          `}
        </tbody>
        ${Me&&u`<${$t} columns=${$} hasActions=${N>$.length} />`}
      </table>
    </div>
    ${w!==null&&u`
      <${ve} key=${w.id} label=${String(n[0].of(w.row))} anchor=${w.anchor}
        items=${e.actionsOf(w.row)} onClose=${()=>G(null)} />
    `}
  `}function Te({rows:e,height:t,span:n}){return u`
    <tr class="gap" aria-hidden="true" style=${{height:`${e*t}px`}}>
      <td colspan=${n}></td>
    </tr>
  `}function dt({id:e,isRisingFirst:t},n){return{id:e,isRising:n.id===e?!n.isRising:t===!0}}function M({isNumber:e,isProse:t,panel:n,class:r},o){let s=n!==void 0&&!o?`panel-${n}`:"";return[e&&"num",t&&"why",s,r].filter(Boolean).join(" ")}function lt({columns:e,order:t,setOrder:n,marks:r,rows:o,actionsOf:s}){return u`
    <thead role="rowgroup">
      <tr role="row">
        ${e.map((i,a)=>{let d=i.id===t.id,c=t.isRising?"ascending":"descending";return u`
            <th key=${i.id} scope="col" role="columnheader" title=${i.hint}
              class=${`${a===0?"k ":""}${M(i,d)}`}
              aria-sort=${d?c:void 0}>
              ${a===0&&r&&u`
                <input type="checkbox" aria-label="Choose all rows"
                  checked=${o.length>0&&r.ids.size===o.length}
                  onChange=${p=>r.onAll(p.target.checked)} />
              `}
              ${i.of===void 0?i.title:u`
                <button type="button" class="sort" onClick=${()=>n(dt(i,t))}>
                  ${i.title}
                  <span aria-hidden="true">${d?t.isRising?"\u2191":"\u2193":""}</span>
                </button>
              `}
            </th>
          `})}
        ${s&&u`
          <th class="act" role="columnheader"><span class="only-read">Actions</span></th>
        `}
      </tr>
    </thead>
  `}function ft(e){let{id:t,row:n,columns:r,order:o,index:s,isCurrent:i,marks:a,hrefOf:d,actionsOf:c,onMenu:p}=e,l=d?.(n),m=f=>{let g=f.target.closest("a, button, input")||String(getSelection())!=="";l!==void 0&&!g&&(location.hash=l)},$=c?.(n)??[];return u`
    <tr role="row" data-row=${t} class=${e.classOf?.(n)} onClick=${m}
      aria-rowindex=${s===void 0?void 0:s+2}
      data-current=${i||void 0} data-link=${l!==void 0||void 0}>
      ${r.map((f,g)=>g===0?u`
            <th key=${f.id} scope="row" role="rowheader" data-m=${f.card??"a"}
              class=${`k ${M(f,!0)}`}>
              ${a&&u`
                <input type="checkbox" aria-label=${`Choose ${f.of(n)}`}
                  checked=${a.ids.has(t)} onChange=${()=>a.onToggle(t)} />
              `}
              <${pt} column=${f} row=${n} href=${l}
                isOpen=${t===e.current} />
            </th>
          `:u`
            <td key=${f.id} role="cell" data-m=${f.card} data-l=${f.mark}
              class=${M(f,f.id===o.id)}>${mt(f,n)}</td>
          `)}
      ${c&&u`
        <td class="act" role="cell">
          ${$.length>0&&u`
            <button type="button" class="icon quiet small" aria-haspopup="menu"
              aria-expanded=${String(e.openId===t)}
              aria-label=${`Actions: ${r[0].of(n)}`}
              onClick=${f=>p(f.currentTarget)}><${te} name="more" /></button>
          `}
        </td>
      `}
    </tr>
  `}function pt({column:e,row:t,href:n,isOpen:r}){let o=e.cell?.(t)??u`<${ae} text=${String(e.of(t))} />`;return n===void 0?o:u`<a href=${n} aria-current=${r?"true":void 0}>${o}</a>`}function mt({cell:e,of:t,text:n=String},r){if(e!==void 0)return e(r)??"\u2013";let o=t(r);return ne(o)?"\u2013":n(o,r)}function $t({columns:e,hasActions:t}){return u`
    <tfoot role="rowgroup">
      <tr role="row" class="sum">
        ${e.map((n,r)=>r===0?u`<th key=${n.id} scope="row" role="rowheader" class="k" data-m="a">${n.foot}</th>`:u`
              <td key=${n.id} role="cell" data-m=${n.card} data-l=${n.mark}
                class=${M(n,!1)}>${n.foot}</td>
            `)}
        ${t&&u`<td class="act" role="cell"></td>`}
      </tr>
    </tfoot>
  `}function ht({columns:e,order:t,onOrder:n}){let r=b(null),o=`${t.id} ${t.isRising?"up":"down"}`;R(()=>void(r.current.value=o),[o,e]);let s=e.filter(({of:a})=>a!==void 0).flatMap(({id:a,title:d})=>[[`${a} down`,`${d} \u2193`],[`${a} up`,`${d} \u2191`]]);return u`
    <label class="phone-sort">Sorted by
      <select ref=${r} onChange=${({target:a})=>{let[d,c]=a.value.split(" ");n({id:d,isRising:c==="up"})}}>
        ${s.map(([a,d])=>u`<option key=${a} value=${a}>${d}</option>`)}
      </select>
    </label>
  `}var gt=.05,xt=.5,W=new Map([["failing",y.get("failing")],["degraded",y.get("degraded")],["limited",{tone:"warn",text:"Keys suspended"}],["slow",y.get("slow")],["silent",y.get("silent")],["ok",y.get("ok")],["unused",y.get("unused")]]),I=[...W.keys()];function bt({breaker:e,health:t,keys:n,resting_keys:r}){if(e==="open"||n>0&&r>=n)return"failing";let o=t?.state??"unused",s=I.indexOf(o)<I.indexOf("limited");return r>0&&!s?"limited":o}function Ee(e){return e.map(t=>({...t,state:bt(t)})).toSorted((t,n)=>I.indexOf(t.state)-I.indexOf(n.state))}function Nn({providers:e}){let t=Ee(e.filter(({enabled:o})=>o)),r=[...Map.groupBy(t,({state:o})=>o)].filter(([o])=>o==="limited"||k(o)).map(([o,{length:s}])=>`${E(s)} ${W.get(o).text.toLowerCase()}`);return r.length>0?`Providers: ${r.join(", ")}`:t.length===0?"No provider is enabled":t.length===1?"1 provider, no problem":`${E(t.length)} providers, no problem`}function Kn({providers:e,models:t=[]},n){return Ee(e.filter(({enabled:r})=>r)).filter(({state:r})=>r==="limited"||k(r)).map(r=>{let o=t.filter(({provider:i})=>i===r.id),{tone:s}=W.get(r.state);return{id:r.id,tone:s,text:yt(r,o,n)}})}function yt({health:e,keys:t,resting_keys:n},r,o){let s=r.filter(({breaker:a})=>a==="open").map(({id:a})=>a);return[e?.since&&k(e.state)&&`${y.get(e.state).text.toLowerCase()} since ${j(e.since,o)}`,e&&k(e.state)&&C(e,o),e&&A(e),s.length>0&&`${s.join(", ")}: breaker open`,n>0&&`${n} of ${t} keys suspended`].filter(a=>a).join("; ")}function Fn({error:e,status:t,cause:n}){let r=e===String(t)?e:`${e} (${t})`;return n?`${r}: ${n}`:r}function Bn(e){let t=e.filter(s=>s!==null),n=t.reduce((s,[i])=>s+i,0),r=t.reduce((s,[,i])=>s+i,0);if(n===0)return"No attempts in 24 hours";let o=t.reduce((s,[i,a])=>Math.max(s,a/i),0);return`24 hours: ${E(r)} of ${E(n)} attempts failed`+(r>0?`; ${ce(o,1)} in the worst hour`:"")}function Hn(e){if(e===null||e[0]===0)return null;let t=e[1]/e[0];return t>=xt?"bad":t>=gt?"warn":"good"}var Ae=1e3,wt=15e3,vt=60;function Gn(e){let[t,n]=h(_e);return x(()=>{n(_e);let r,o=()=>{r=new AbortController,St(e,r.signal,n)},s=()=>{r?.abort(),document.visibilityState==="visible"?o():n(i=>({...i,isLive:!1}))};return document.visibilityState==="visible"&&o(),document.addEventListener("visibilitychange",s),()=>{document.removeEventListener("visibilitychange",s),r?.abort()}},[e]),t}var _e={state:void 0,history:[],isLive:!1,error:void 0};async function St(e,t,n){let r=Ae,o=({name:s,data:i})=>{if(s!=="state"||t.aborted)return;r=Ae;let a=JSON.parse(i);n(({history:d})=>({state:a,history:[...d,a].slice(-vt),isLive:!0,error:void 0}))};for(;!t.aborted;){let s;try{await de(await Z(e,{signal:t}),o)}catch(i){s=i}if(t.aborted||(n(i=>({...i,isLive:!1,error:s})),s?.status===401||s?.status===403||s?.status===404))return;await kt(r,t),r=Math.min(2*r,wt)}}function kt(e,t){return new Promise(n=>{let r=setTimeout(n,e);t.addEventListener("abort",()=>{clearTimeout(r),n()},{once:!0})})}var Ot=new Map([["closed",{tone:"good",text:"Closed",title:"Requests are sent"}],["open",{tone:"bad",text:"Open",title:"Too many failures: requests use other targets"}],["half_open",{tone:"warn",text:"Half-open",title:"One request tries the provider again"}]]);function Jn({state:e}){let{tone:t,text:n,title:r}=Ot.get(e)??{tone:"",text:e,title:""};return u`<span class=${`badge ${t}`} title=${r}>${n}</span>`}export{Et as a,Ne as b,At as c,Ke as d,_t as e,Ct as f,Mt as g,Kt as h,Ft as i,Bt as j,Ht as k,Ut as l,He as m,Gt as n,j as o,Yt as p,_ as q,Ye as r,Xt as s,Zt as t,Qt as u,en as v,tn as w,nn as x,Je as y,sn as z,an as A,Ve as B,be as C,Xe as D,cn as E,un as F,dn as G,mn as H,$n as I,hn as J,gn as K,xn as L,Cn as M,W as N,bt as O,Ee as P,Nn as Q,Kn as R,Fn as S,Bn as T,Hn as U,Gn as V,Jn as W};
