import{b as bt,f as on}from"./shared3.js";import{A as Re,B as Vs,D as ne,E as G,F as Qe,G as Zs,H as ze,I as U,J as ts,L as ss,M as Ys,N as Qs,O as zs,P as en,Q as tn,R as sn,S as vt,V as nn,a as W,b as zt,c as xe,d as Ws,e as L,f as F,g as ft,h as se,i as pt,j as P,k as Ae,l as $t,m as Ve,n as Gs,o as he,p as Xs,q as Ze,r as ae,s as Js,t as Ye,u as mt,v as Se,w as q,x as ht,y as es,z as gt}from"./shared2.js";import{$ as Bs,A as Qt,D as T,E as ee,F as Ns,G as te,H,I as $e,J as ie,K as A,L as Is,M as $,N as E,O as _,P as y,Q as Ps,R as C,S as Ge,T as Ds,W as Fs,Y as Xe,_ as Us,a as ke,aa as js,c as k,d as j,e as Rs,ea as B,f as D,g as K,ha as Ce,i as u,ia as Hs,j as I,ja as Z,ka as me,la as Y,pa as Ks,qa as qe,ra as Je,sa as _e,ta as dt,u as Es,v as O,wa as Me,y as pe,z as Ls}from"./shared1.js";var bn={};ke(bn,{default:()=>vn});function rn(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,a]=t.get(n)??[0,0];t.set(n,[i+o,a+r])}return t}function an({from:e,to:t},s,n){let o=Math.floor(s/n),r=o-288+1,i=Math.max(r,Math.floor(e/n)),a=Math.min(o,Math.ceil(t/n)-1);if(a<i)return{first:r,count:288,cellMs:n,isDay:!0,isNow:!0};let l=a-i+1;return{first:i,count:l,cellMs:n,isDay:l>=276,isNow:a===o}}function un(e,{cellMs:t,count:s,first:n}){return new Map([...e].filter(([o])=>{let r=o/t-n;return r>=0&&r<s}))}function ns(e,{cellMs:t,count:s,first:n},o=1){let r=[],i=[];for(let a=0;a<s;a++){let[l,d]=e.get((n+a)*t)??[0,0];if(l===0&&i.push(`M${a} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/l/o),f=Math.round(Math.max(12,100*c));r.push(`M${a} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function ln(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function os(e,{cellMs:t,count:s,first:n}){let o=(e/t-n)/s;return o<0||o>1?void 0:100*o}var ci=[5,15,30,60,180,360];function cn({cellMs:e,count:t,first:s}){let[n,o]=[s*e,(s+t)*e],r=6e4*(ci.find(a=>(o-n)/(a*6e4)<=5)??360),i=[];for(let a=Math.ceil(n/r)*r;a<=o;a+=r)i.push(a);return i}var di=6,fi=36e5;function pn({health:e,period:t,rangeName:s}){let{cell_ms:n,changes:o,reading:r,since:i,targets:a}=e,l=Date.parse(e.at),d=an(t,l,n),c=g=>un(rn(g.map(({cells:b})=>b)),d),f=c(a),p=d.isDay?"the last 24 hours":s,m=ln(f),v=Date.parse(i);return u`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, ${p}</h2>
        <span class="faint small">
          5 min a cell, this process${hi(v,l,r)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key breakers">breakers</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${dn}
          class="tall"
          label=${`All targets: ${fn(f,p)}`}
          paths=${ns(f,d,m)}
          count=${d.count}
          top=${m}
        >
          ${o.map(({kind:g,text:b,time:h},x)=>u`
              <${$i} key=${x} kind=${g} text=${`${b} at ${he(h,l)}`}
                at=${os(Date.parse(h),d)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${pi(a).map(({name:g,own:b,worst:h})=>{let x=c(b),w=$n(b.map(S=>S.recent));return u`
            <div class="strip-name" key=${g}>
              <a class="clip" href="#/status" title=${g}>${g}</a>
              <${Me} state=${h.state} isShort=${!0} />
            </div>
            <${dn} key=${`${g} strip`} label=${`${g}: ${fn(x,p)}`}
              paths=${ns(x,d)} count=${d.count} />
            <div class="strip-end small" key=${`${g} now`}>${w.attempts===0?"no traffic":`${C(w.failures,w.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${mi} window=${d} end=${l} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function pi(e){return[...new Set(Ve(e).map(({provider:s})=>s))].slice(0,di).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:Ve(n)[0]}})}function dn({children:e,class:t="",count:s,label:n,paths:{failed:o,quiet:r},top:i}){return u`
    <div class=${`strip ${t}`} role="img" aria-label=${n}>
      ${i!==void 0&&u`<span class="strip-top">${C(i,1)}</span>`}
      <svg viewBox=${`0 0 ${s} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${r} />
        <path d=${o} />
      </svg>
      ${e}
    </div>
  `}function $i({kind:e,text:t,at:s}){return s===void 0?null:u`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function mi({window:e,end:t}){return u`
    <div class="strip-axis small faint" aria-hidden="true">
      ${cn(e).map(s=>{let n=os(s,e);return n!==void 0&&n>3&&n<88&&u`
          <span key=${s} style=${{left:`${n}%`}}>${he(new Date(s).toISOString(),t).slice(-5)}</span>
        `})}
      ${e.isNow&&u`<span class="now">now</span>`}
    </div>
  `}function hi(e,t,s){return s?"; the ledger is still being read":t-e<23*fi?`, begins at ${he(new Date(e).toISOString(),t)}`:", from the ledger"}function fn(e,t){let{attempts:s,failures:n}=$n([...e.values()].map(([o,r])=>({attempts:o,failures:r})));return`${n} of ${s} attempts failed, ${t}`}function $n(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var gi=5e3,vi=6e4,hn=6e5,gn=5;function vn({route:e}){let{hasAdmin:t}=W();return t?u`<${bi} choice=${qe(e.query,"24h")} />`:u`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${pt} what="The overview covers all keys: it needs an admin key." />
      </div>
    `}function mn(e,t,s=[]){let n=L(e,s);return xe(n.reload,t),n}function bi({choice:e}){let{data:t,error:s}=mn(m=>O("/v1/admin/health",{signal:m}),gi),n=B(),{range:o,from:r,to:i}=e,a=[o,r,i,n],{data:l}=mn(async m=>({...await wi(_e(e,I(),n),m),name:a.join()}),vi,a),d=l?.name===a.join()?l:void 0;if(t===void 0)return u`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${s?u`<${T} error=${s} title="No health" />`:u`<${A} text="Loading the health of targets" />`}
      </div>
    `;let{text:c,title:f}=Gs(t),p=yi(dt(e,n));return u`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${f}</h1>
        <p class="soft">${c}</p>
      </header>
      <${ki} ...${{choice:e,health:t,figures:d,rangeName:p}} />
      <${pn}
        ...${{health:t,rangeName:p}}
        period=${_e(e,Date.parse(t.at),n)}
      />
      <div class="two">
        <${_i} health=${t} />
        <${Si} ...${{choice:e,figures:d,rangeName:p}} />
      </div>
    </div>
  `}function yi(e){return e.startsWith("Last ")?`the l${e.slice(1)}`:e.replace("This","this")}async function wi({from:e,to:t,isOpen:s},n){let o=new Date(I()-hn).toISOString(),r={from:new Date(e).toISOString(),...!s&&{to:new Date(t).toISOString()}},i=c=>O(`/v1/admin/usage?${new URLSearchParams({...r,...c})}`,{signal:n}),[a,l,d]=await Promise.all([O(`/v1/admin/request_counts?${new URLSearchParams({from:o})}`,{signal:n}),i({group_by:"key,model",limit:"1000"}),i({})]);return{counts:a.data,keys:l.data,total:d.data[0]}}function ki({choice:e,health:t,figures:s,rangeName:n}){let o=new URLSearchParams({sort:"cost_usd"});Je(o,e);let r=s?.counts.reduce((l,{requests:d,errors:c})=>({requests:l.requests+d,errors:l.errors+c}),{requests:0,errors:0}),i=t.targets.filter(({recent:l})=>l.attempts>0).toSorted((l,d)=>d.recent.attempts-l.recent.attempts)[0],a=r!==void 0&&r.requests>0&&r.errors/r.requests>=.05;return u`
    <dl class="overview-figures">
      <${yt}
        label="Requests per minute"
        value=${r&&Ge(r.requests/(hn/6e4))}
        note="mean of the last 10 min"
      />
      <${yt}
        label="Failed requests, last 10 min"
        value=${r&&C(r.errors,r.requests)}
        note=${r&&`${$(r.errors)} of ${$(r.requests)}`}
        isBad=${a}
        href="#/requests?range=15m&status=error"
      />
      <${yt}
        label="Time to first content"
        value=${i?.first_content_ms==null?"\u2013":_(i.first_content_ms)}
        note=${i?.first_content_ms==null?"no answer in the last 10 min":`${i.provider}, usually ${_(i.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${yt}
        label=${`Spent, ${n}`}
        value=${s&&y(s.total?.cost_usd??0)}
        note=${s&&`${$(s.total?.requests??0)} requests, ${B()}`}
        href=${`#/requests?${o}`}
      />
    </dl>
  `}function yt({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return u`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:u`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function _i({health:e}){let t=Date.parse(e.at),s=Ve(e.targets);return u`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${js(e.thresholds)}>
          by the last 10 min
        </span>
        <a class="small" href="#/status">Providers</a>
      </div>
      ${s.length===0?u`<p class="soft">Nothing: no target is failing, degraded, slow or silent.</p>`:u`
          <table class="plain cards" role="table" aria-labelledby="fails-title">
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">Target</th>
                <th scope="col" role="columnheader">State</th>
                <th scope="col" role="columnheader">Since</th>
                <th scope="col" role="columnheader">Evidence</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              ${s.slice(0,gn).map(n=>{let{last_failure:o,provider:r,since:i,state:a,upstream:l}=n;return u`
                  <tr role="row" key=${`${r} ${l}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${l}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${l}</span>
                    </th>
                    <td role="cell">
                      <${Me} state=${a} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":he(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?Xe(n,t):u`
                        <a
                          href=${xi(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${Xe(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function xi({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function Si({choice:e,figures:t,rangeName:s}){let n=Oi(t?.keys??[]),o=t?.total?.cost_usd??0,r=new URLSearchParams({by:"key",show:"cost"});return Je(r,e),u`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive</h2>
        <span class="faint small">${s}</span>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href=${`#/usage?${r}`}>Usage</a>
      </div>
      ${n.length===0?u`<p class="soft">${t?"Nothing has been spent.":"\u2026"}</p>`:u`
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Model</th>
                <th scope="col" class="number">Cost</th>
                <th scope="col" class="number">Share</th>
              </tr>
            </thead>
            <tbody>
              ${n.map(({cost:i,key:a,model:l})=>u`
                  <tr key=${a}>
                    <th scope="row"><span class="clip" title=${a}>${a}</span></th>
                    <td><span class="clip soft" title=${l}>${l}</span></td>
                    <td class="number" title=${`$${i}`}>${Ps(i,n[0].cost)}</td>
                    <td class="number">${C(i,o)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function Oi(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,gn)}var ao={};ke(ao,{default:()=>io});function yn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function wt(e,t){Xs(e,t,"text/csv")}function kt(e){let{label:t,words:s,current:n,placeholder:o,offered:r,onAdd:i,onRemove:a,onType:l,clear:d}=e,[c,f]=k(""),[p,m]=k(""),v=D(null);j(()=>{f(""),m("")},[n]);let g=h=>{h.preventDefault();let x=i(c)??"";m(x),x===""&&f("")},b=h=>{let x=s.at(-1);h.key==="Backspace"&&c===""&&x!==void 0?a(x.filter):h.key==="Escape"&&v.current.blur()};return u`
    <form class="filter-bar" role="search" aria-label=${t} onSubmit=${g}>
      <div class="filter-line">
        <${pe} name="search" />
        ${s.map(h=>u`<${Ti} key=${h.filter} word=${h} onRemove=${()=>a(h.filter)} />`)}
        <input
          ref=${v}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${p!==""?"true":void 0}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${!1}
          placeholder=${o}
          list="filter-words"
          value=${c}
          onInput=${({target:{value:h}})=>{f(h),l?.(h)}}
          onKeyDown=${b}
        />
        <datalist id="filter-words">
          ${r(c).map(h=>u`<option key=${h} value=${h} />`)}
        </datalist>
        ${d!==void 0&&u`<a class="button quiet" href=${d}>Clear</a>`}
      </div>
      <p class="fault" id="filter-fault" role="status">${p}</p>
      ${e.children}
    </form>
  `}function Ti({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return u`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${pe} name="close" size=${10} />
      </button>
    </span>
  `}function _t(e,t){let[,s,n]=/^(.*?)(\S*)$/s.exec(e);return t.filter(o=>o.startsWith(n)).map(o=>s+o)}function Ee(e){let[,t="",s=""]=/(?:^|\s)([a-z_]+):(\S*)$/.exec(e)??[];return{name:t,part:s}}var Ci=30*864e5,qi=1e3;function Le(e){let[t,s]=k({}),n=D(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let a={from:new Date(Date.now()-Ci).toISOString(),group_by:r,limit:String(qi)};try{let{data:l}=await O(F(e,"usage",a)),d=l.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var ge=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),Mi=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),Ai=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),Ri=new Set(["key","model","provider","tag","end_user"]),Ei=/^\d{1,15}(\.\d{1,9})?$/,Li=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function Ni(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*Li.get(n.toLowerCase())))}function wn(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=Ii(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function Ii(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return Pi(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=Mi.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return Di(e,r.toLowerCase());if(i==="path")return Fi(e,r.toLowerCase());e[i]=Ri.has(i)?Ui(r,s(i)):r}}function Pi(e,t,s){let n=Ai.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!Ei.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=Ni(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function Di(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function Fi(e,t){if(!ge.has(t))return`A path is ${[...ge.keys()].join(", ")}`;e.path=t}function Ui(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function kn(e){return Ze.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var Bi=["key","model","provider","tag","end_user"],ji=["status:error","status:ok","status:429","cost>","ms>","session:"],Hi=200;function _n({filters:e,rows:t=[],session:s,opened:n,time:o}){let r=Le(s),i=f=>location.hash=q(f,n,o),a=Bi.filter(f=>f!=="key"||s.hasAdmin),l=f=>[...new Set([...Gi(t,f),...r.of(f)])],d=f=>{let p=wn(f,e,l);return p.fault===void 0&&i(p.filters),p.fault},c=q({...Se(e),sort:e.sort,order:e.order},n,o);return u`
    <${kt}
      label="Filter the requests"
      words=${kn(e)}
      current=${q(e,n,o)}
      placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
      offered=${f=>Wi(f,a,l)}
      onAdd=${d}
      onRemove=${f=>i({...e,[f]:""})}
      onType=${f=>{let p=xn(Ee(f).name);a.includes(p)&&r.load(p)}}
      clear=${Ye(e)?c:void 0}
    >
      <${Ki} filters=${e} onChange=${i} />
      <//>
  `}function xn(e){return e==="user"?"end_user":e}function Ki({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...ge].map(([n,o])=>["path",n,o])];return u`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return u`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&u`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function Wi(e,t,s){let{name:n,part:o}=Ee(e),r=xn(n);if(t.includes(r)){let i=s(r).filter(l=>l.includes(o)).sort(),a=e.slice(0,e.length-o.length);return i.slice(0,Hi).map(l=>a+(/\s/.test(l)?`"${l}"`:l))}return _t(e,[...ji,...t.map(i=>`${i==="end_user"?"user":i}:`)])}function Gi(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var Sn="abandoned";function rs({error:e,status:t}){return e!==Sn&&((e??null)!==null||t>=400)}function Xi({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function On(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${_(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let a=e.saved_usd>0?`, which saved ${y(e.saved_usd)}`:"";return`${i}Answered by the cache${a}.`}return r===499?`${i}The client stopped after ${_(e.ms)}.`:s!==null?i+Ji(e):i+Vi(e)}function Ji({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was tried: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${Tn(o)}: ${n}.`}function Vi(e){let{attempts:t=[]}=e,s=Xi(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let l=t.find(d=>d!==s&&!rs(d))?.provider??"the first target";return s.hedge?`${l} was slow; the hedge at ${n} won after ${_(o)}.`:`${n} answered after ${_(o)}; the hedge at ${l} was not used.`}let r=t.filter(rs);if(r.length===0)return`Answered by ${n} after ${_(o)}.`;let i=[...new Set(r.map(a=>a.provider))];return i.every(a=>a===n)?`${n} answered after ${_(o)}, at attempt ${t.length}.`:`${Tn(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${_(o)}.`}function Tn(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function Cn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===Sn?"unused":rs(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,a)=>i.start-a.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var Zi=1e6,Yi=1e-9;function qn(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(l,d,c)=>({name:l,amount:d,price:c,usd:d*c/Zi}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...gt.filter(({id:l})=>t.units?.[l]!==void 0).map(l=>{let[d,c]=[e[l.id]??0,t.units[l.id]];return{name:l.title,amount:d,price:c,unit:l,usd:d*c}})].filter(({amount:l})=>l>0),a=(e.cost_usd??0)-i.reduce((l,{usd:d})=>l+d,0);return e.cost_usd!=null&&Math.abs(a)>Yi&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:a}),i}function Mn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&zi(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&_(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&y(e.saved_usd)],["Hedge",e.hedged&&`cost ${y(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&y(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"]].filter(([,s])=>s)}function An({attempts:e=[]}){return e.flatMap(({corrections:t=[],provider:s})=>t.map(({fields:n,sent_as:o})=>[o===null?"Left out":"Sent under another name",o===null?`${n.join(", ")}: ${s} refuses it`:`${n.join(", ")} as ${o} at ${s}`]))}function Rn(e,t){if(t===void 0||t.requests<Qi)return[];let s=[{name:"Queue",value:e.queued_ms??0},{name:"First content",value:e.first_token_ms??0,usual:t.first_token_p50_ms},{name:"All",value:e.ms,usual:t.p50_ms,most:t.p95_ms}].filter(({value:r})=>r>0),n=Math.max(...s.flatMap(({value:r,usual:i,most:a})=>[r,i??0,a??0])),o=r=>Math.round(1e3*r/n)/10;return s.map(r=>({...r,at:o(r.value),...r.usual!=null&&{band:[o(r.usual),o(r.most??r.usual)]}}))}var Qi=5;function En(e){return e.filter(({usual:t})=>t!=null).map(({most:t,name:s,usual:n,value:o})=>{let r=s==="All"?"The whole request":"The first content",i=s==="All"?"took":"came after",a=o/n,l=t!==void 0&&o>t?"longer than 95 % of the requests":a>=1.1?`${a.toFixed(1)} times the usual ${_(n)}`:`usually ${_(n)}`;return`${r} ${i} ${_(o)}, ${l}.`}).join(" ")}function zi(e){return e>0?`saved ${y(e)}`:"yes"}function Ln({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":y(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var Ne={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function is({data:e,next:t}){return{...Ne,isLoading:!1,rows:e,next:t}}function as(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function In(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(et)),n=t.data.filter(i=>!s.has(et(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return is(t);let r=[...n,...e.rows].sort((i,a)=>i.time<a.time?1:i.time>a.time?-1:0);return{...e,rows:r,moreError:void 0}}function Pn(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,a=(d,c)=>{let[f,p]=[Nn(d,n),Nn(c,n)];return f===p?0:i*(f<p?-1:1)},l=[...e.rows??[],...t].sort(a).slice(0,r);return{...Ne,isLoading:!1,isSorting:s!==null,rows:l}}var ea=["cache","hedge","fallback","retry","queued","sticky"];function Nn(e,t){if(t==="path")return ea.indexOf(e.path[0]);let s=e[t];return typeof s=="string"?s.replace(/[A-Z]+/g,n=>n.toLowerCase()):s}function et({id:e,time:t}){return`${t} ${e}`}var xt=499;function Fn({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},a=({id:c,isRising:f})=>r(c==="time"&&!f?{sort:"",order:""}:{sort:c,order:f?"asc":""}),l=K(()=>sa(n),[n,B()]),d=e.find(({id:c})=>c===s);return u`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${U}
      label="Requests"
      columns=${l}
      rows=${e}
      idOf=${et}
      hrefOf=${c=>q(t,c.id,c.time)}
      actionsOf=${c=>ta(c,t)}
      order=${i}
      onOrder=${a}
      current=${d&&et(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=q(t)}
    />
  `}function ta(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:q({...Se(t),[n]:e[n]})}];return[{text:"Open",href:q(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function sa(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:na},{id:"status",title:"Status",card:"b",of:({status:t})=>t,cell:t=>u`<${tt} row=${t} />`},us("model","Model",{card:"a"}),us("provider","Provider",{panel:"hide"}),...e?[us("key","Key",{panel:"hide"})]:[],{id:"path",title:"Path",panel:"low",isRisingFirst:!0,of:({path:t})=>t[0],cell:oa},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:_},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:_},Dn("input_tokens","In"),Dn("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:ra}]}function Dn(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>ls(s)?s[e]:void 0,cell:s=>ia(s[e],ls(s),s.usage_source==="estimated")}}function ls({usage_source:e}){return e!=="none"}function na(e){let t=e.path.map(s=>`, ${s}`).join("");return u`
    <span title=${`${G(e.time)}, ${e.id}`}>${ne(e.time)}</span>
    <span class="phone-only">, ${_(e.ms)}${t}</span>
  `}function us(e,t,s){return{id:e,title:t,isRisingFirst:!0,of:n=>n[e],...s,text:n=>u`<${ie} text=${n} />`}}function oa({path:e}){return e.map(t=>u`<span key=${t} class="badge">${ge.get(t)}</span>`)}function ra(e){return e.cost_usd==null?ls(e)?u`<span class="faint">unknown</span>`:"\u2013":u`<span title=${`$${e.cost_usd}`}>${y(e.cost_usd)}</span>`}function tt({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==xt&&(n>=400||s!=null),r=n===xt?"stopped":o?"failed":"ok",i=n===xt?"Stopped by the client":s??void 0;return u`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===xt&&u`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&u`<span class="error-code small"> ${s}</span>`}
  `}function ia(e,t,s){return t?s?u`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var Un=.8,aa=.1;function Bn({row:e}){let t=Cn(e),s=Math.max(aa,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return u`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?u`
              <${cs}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${jn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:u`
              <${ua} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${cs}
          title="Whole request"
          text=${_(e.ms)}
          start=${0}
          length=${e.ms}
          total=${s}
          tone="whole"
          mark=${e.first_token_ms}
        />
      </ol>
      <div class="scale faint small mono" aria-hidden="true">
        <span>0</span><span>${_(s/2)}</span><span>${_(s)}</span>
      </div>
      ${n.length===0&&e.response_cache!=="hit"&&u`
        <p class="hint">No provider was tried.</p>
      `}
    </section>
  `}function ua({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:a}=e,{provider:l,model:d,status:c,error:f,vendor_text:p}=n,m=Ln(n);return u`
    <${cs}
      title=${u`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${l}</span>
        ${o==="hedge"&&u`<span class="soft">, the hedge</span>`}
      `}
      text=${jn(e)}
      start=${i}
      length=${r}
      total=${s}
      tone=${a}
    >
      <p class="row outcome">
        ${a==="unused"?u`<span class="badge">not used</span>`:u`
          <span class=${`badge ${a}`}>${c??"\u2013"}</span>
          ${f?u`<span class="error-code">${f}</span>`:"answered"}
        `}
        ${da(n).map(v=>u`<span key=${v} class="soft wrap-anywhere">${v}</span>`)}
        ${m!==""&&u`<span class="faint">${m}</span>`}
      </p>
      ${p&&u`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function jn({length:e,start:t}){return t<1?_(e):`${_(e)}, after ${_(t)}`}var la=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),ca=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function da({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:a})=>a===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${a}`),n&&(ca.get(n)??n),o!=null&&!r&&`asked to wait ${_(o)}`,r?`then again after ${_(o)}`:la.get(s)].filter(i=>i)}function cs({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:a}){let l=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(Un,100*n/o);return u`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:l(Math.min(s,o*(1-Un/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&u`<span class="mark" style=${{left:l(i)}}></span>`}
      </div>
      ${a}
    </li>
  `}function Wn({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},a=F(s,`requests/${encodeURIComponent(e)}`,i),{data:l,error:d}=L(f=>O(a,{signal:f}),[a]),c=D(null);return j(()=>c.current.focus(),[]),u`
    <section class="details card" aria-label="Details of the request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${Hn} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${Hn} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${q(n)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${pe} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${e}</code>
          <${te} text=${e} label="Copy ID" />
        </p>
        <${T} error=${d} title="The request cannot be shown" />
        ${!l&&!d&&u`<${A} />`}
        ${l&&u`
          <p class="said">${On(l)}</p>
          <${fa} row=${l} filters=${n} />
          <${Bn} row=${l} />
          <${ma} row=${l} session=${s} />
          <${pa} row=${l} />
          <${St} title="Route" facts=${Mn(l)} />
          <${St} title="Client" facts=${va(l,n)} />
          <${St} title="Corrections" facts=${An(l)} />
          <${St} title="Request" facts=${ba(l,n)} />
          <p class="hint">The receipt of ignored, converted and added parameters is in the headers
            <code>x-sluice-ignored</code>, <code>x-sluice-converted</code> and${" "}
            <code>x-sluice-added</code> of the answer; the ledger does not store it.</p>
          ${s.hasService&&l.model!==null&&ga(l)&&u`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:l.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function fa({row:e,filters:t}){return e.path.length===0?null:u`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>u`<a key=${s} class="badge" href=${q({...Se(t),path:s})}>${ge.get(s)}</a>`)}
    </p>
  `}function pa({row:e}){let t=qn(e);return t.length===0?null:u`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${Ae} label="Cost by line" class="cost-lines">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col" class="number">Amount</th>
            <th scope="col" class="number">Price</th>
            <th scope="col" class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          ${t.map(({amount:s,name:n,price:o,unit:r,usd:i})=>u`
              <tr key=${n}>
                <th scope="row">${n}</th>
                <td class="number">${s===null?"\u2013":(r?.text??$)(s)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${Ds(o)} per M`:Vs(r,o)}
                </td>
                <td class="number" title=${`$${i}`}>${y(i)}</td>
              </tr>
            `)}
          <tr>
            <th scope="row">Total</th>
            <td></td>
            <td></td>
            <td class="number"><strong>${e.cost_usd==null?"unknown":y(e.cost_usd)}</strong></td>
          </tr>
        </tbody>
        <//>
        </section>
  `}function St({title:e,facts:t}){if(t.length===0)return null;let s=`${e.toLowerCase()}-title`;return u`
    <section class="stack" aria-labelledby=${s}>
      <h3 id=${s}>${e}</h3>
      <${ee} class="request-facts" facts=${t} />
    </section>
  `}var $a=864e5;function ma({row:e,session:t}){let s=Date.parse(e.time),[n,o]=[s-$a,s].map(l=>new Date(l).toISOString()),r=e.model===null?void 0:F(t,"usage",{from:n,to:o,model:e.model}),{data:i}=L(async l=>r===void 0?void 0:await O(r,{signal:l}),[r]),a=i?Rn(e,i.data[0]):[];return a.length===0?null:u`
    <section class="stack" aria-labelledby="usual-title">
      <div class="row spread">
        <h3 id="usual-title">Time against usual</h3>
        <span class="soft small">${e.model}, 24 h</span>
      </div>
      <div class="usual">
        ${a.map(({band:l,name:d,at:c,value:f})=>u`
            <span key=${d}>${d}</span>
            <i aria-hidden="true">
              ${l&&u`<b style=${{left:`${l[0]}%`,width:`${l[1]-l[0]}%`}}></b>`}
              <u style=${{left:`${c}%`}}></u>
            </i>
            <span class="num">${_(f)}</span>
          `)}
      </div>
      <p class="soft small">${En(a)}</p>
    </section>
  `}function Hn({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:u`
    <a class="button quiet icon" href=${q(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${pe} name=${s} />
    </a>
  `}var ha=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function ga({format:e}){return ha.has(e)}function Gn(e){return(t,s)=>s&&u`<${ya} key=${s} name=${t} value=${s} filters=${e} />`}function va(e,t){let s=Gn(t);return[["Key",s("key",e.key)],["Team",e.team],["Owner",e.owner],["Agent",e.agent],["Started by agent",e.parent_agent],["API",e.format],["Session",s("session",e.session)],["End user",s("end_user",e.end_user)],["Tags",e.tags?.length>0&&e.tags.map(n=>s("tag",n))]].filter(([,n])=>n)}function ba(e,t){let s=e.usage_source!=="none",n=Gn(t);return[["Ended",G(e.time)],["Status",u`<${tt} isLong=${!0} row=${e} />`],["Model",n("model",e.model)??u`<${$t} value=${null} />`],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&u`<code class="wrap-anywhere">${e.upstream}</code>`],["Input",s&&Kn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&Kn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...Re([e]).map(({id:o,title:r,text:i})=>[r,i(e[o])]),["Usage",wa.get(e.usage_source)??e.usage_source],["Cost",s&&u`<${$t} value=${e.cost_usd} format=${y} />`],["Attempts",e.attempt_count],["First token",e.first_token_ms!=null&&_(e.first_token_ms)],["Duration",_(e.ms)]].filter(([,o])=>o)}function ya({name:e,value:t,filters:s}){if(t===null)return u`<${$t} value=${t} />`;let n=q({...Se(s),[e]:t});return u`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var wa=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function Kn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function Ie(e){let[t,s]=k(0);return Rs(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function Xn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let a=r;a<Date.parse(s);a+=o)i.push({start:a,end:a+o,requests:0,errors:0});for(let{start:a,requests:l,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(a)-r)/o)];c!==void 0&&(c.requests+=l,c.errors+=d)}return i}function Jn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=st(e),a=t.length-1;if(i-o<0||r-o>a)return null;let l=d=>Math.min(a,Math.max(0,d-o));return{anchor:l(e.anchor),focus:l(e.focus)}}function st({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function Vn(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let a=i[t];return{anchor:s&&e!==null?e.anchor:a,focus:a}}function Zn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Yn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function Qn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Pe=64,ka=366*864e5;function eo({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=k(null),i=Jn(o,e),[{start:a,end:l}]=e,d=b=>r(b&&{...b,first:a,step:l-a}),c=i===null?e:xa(e,i),f={from:a,to:e.at(-1).end},p=b=>{let[h,x]=st(b);d(null),n(e[h].start,e[x].end)},m=()=>{let{from:b,to:h}=Zn(f,I());n(b,h)},v=Yn(e.reduce((b,{requests:h})=>Math.max(b,h),0)),g=s&&f.to-f.from<ka/3;return u`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${Sa(c,i===null,t)}</b> <span class="faint small">${Zs(e[0].end-a)} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${i!==null&&u`
            <button type="button" class="small" onClick=${()=>p(i)}>
              Show only this
            </button>
          `}
          ${g&&u`
            <button type="button" class="small quiet" onClick=${m}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${v.map(b=>u`<span key=${b}>${E(b)}</span>`)}
      </div>
        <${_a}
          axis=${v}
          intervals=${e}
          selection=${i}
          onSelect=${d}
          onZoom=${p}
          onWiden=${g?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${Qe(f.from)}</span>
          <span>${Qe(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function _a({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=D(null),a=Ie(i),l=D(null),d=a/t.length,[c]=e,[f,p]=s===null?[-1,-2]:st(s),m=w=>{let S=w.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(S/d)))};return u`
    <div
      class="histogram-bars"
      ref=${i}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${w=>{if(w.button!==0)return;i.current.setPointerCapture(w.pointerId);let S=m(w);l.current={anchor:S,focus:S},n(l.current)}}
      onPointerMove=${w=>{l.current!==null&&(l.current={...l.current,focus:m(w)},n(l.current))}}
      onPointerUp=${()=>{let w=l.current;l.current=null,w!==null&&w.anchor!==w.focus&&o(w)}}
      onPointerCancel=${()=>{l.current=null,n(null)}}
      onKeyDown=${w=>{if(w.ctrlKey||w.metaKey||w.altKey)return;let S=Vn(s,w,t.length);if(S!==void 0)n(S);else if(w.key==="Enter"&&s!==null)o(s);else if(w.key==="Escape"&&s!==null)n(null);else if(w.key==="-"&&r!==void 0)r();else return;w.preventDefault(),w.stopPropagation()}}
    >
      <svg width=${a} height=${Pe} aria-hidden="true">
        ${f>=0&&u`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Pe} />
        `}
        ${e.slice(0,-1).map((w,S)=>u`
            <line key=${w} class="grid-line" x1="0" x2=${a}
              y1=${Pe*S/(e.length-1)+.5}
              y2=${Pe*S/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${zn(t,c,d,!1)} />
        <path class="errors" d=${zn(t,c,d,!0)} />
      </svg>
    </div>
  `}function zn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:a,others:l}=Qn(r,t,Pe),d=n?a:l;if(d===0)return"";let c=Pe-a-(n?0:l);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function xa(e,t){let[s,n]=st(t);return e.slice(s,n+1)}function Sa(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],i=o===1?"request":"requests",a=[`${s?"":"\u2265 "}${$(o)} ${i}`,`${$(r)} failed`];if(t)return a.join(", ");let[l,d]=[e[0].start,e.at(-1).end];return`${a.join(", ")} from ${Qe(l)} to ${Qe(d)}`}var Ot=50,nt=200,Oa=2e3,Ta=1e4,Ca=30,qa=30,to=50,so=1e3,Tt=to*so;function no(e,t,s){let[n,o]=k(0),[r,i]=k(Ne),a=`${q(t)} ${B()}`,l=[e.hasAdmin,a,n],d=Ws(l),c=D(void 0);j(()=>{let g=new AbortController;c.current=ht(t,I(),B()),c.current.set("limit",String(Ot)),i(x=>({...x,isLoading:!0}));let{signal:b}=g;return(t.sort===""?Ma(e,c.current,b,i):Aa(e,t,c.current,b,i)).then(x=>b.aborted||i(x),x=>b.aborted||i(({rows:w})=>({...Ne,...x.isPassing&&{rows:w},isLoading:!1,error:x}))),()=>g.abort()},l);let f=D(new AbortController);j(()=>{let g=new AbortController;return f.current=g,()=>g.abort()},[...l,s]),xe(async()=>{let{signal:g}=f.current;try{let b=await ot(e,c.current,void 0,g);g.aborted||i(h=>In(h,b))}catch(b){g.aborted||i(h=>({...h,moreError:b}))}},Oa,s);let m=async()=>{let g=c.current;i(b=>({...b,isLoadingMore:!0,moreError:void 0}));try{let b=0,{next:h}=r;for(;b<Ot&&h!==null&&c.current===g;){let x=await ot(e,g,h);if(c.current!==g)return;b+=x.data.length,{next:h}=x;let w=b>=Ot||h===null;i(S=>({...as(S,x),isLoadingMore:!w}))}}catch(b){if(c.current!==g)return;i(h=>({...h,isLoadingMore:!1,moreError:b}))}},v=()=>o(g=>g+1);return zt(r.error,v),{...r,isLoading:r.isLoading||d,loadMore:m,reload:v}}async function Ma(e,t,s,n){let o=is(await ot(e,t,void 0,s));for(;o.rows.length<Ot&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=as(o,await ot(e,t,o.next,s));return o}async function Aa(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(nt)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=Ne,a;for(let l=0;a!==null&&l<qa;l++){let d=await ot(e,r,a,n);i=Pn(i,d,t,nt),n.aborted||o(i),a=d.next}return i}function ot(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),O(F(e,"requests",o),n&&{signal:n})}function oo(e,t,s){let[n,o]=k({pages:void 0,isComplete:!1,error:void 0}),[r,i]=k(0),a=`${q(t)} ${B()}`;j(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=I(),m=ht(t,p,B());m.has("to")||m.set("to",new Date(p).toISOString());let v=[];for(let g="";g!==null&&v.length<Ca;){g!==""&&m.set("before",g);let b=await O(F(e,"request_counts",m),{signal:c});if(c.aborted)return;v.push(b),{next:g}=b,o({pages:[...v],isComplete:g===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,a,r]);let l=()=>i(d=>d+1);return xe(l,Ta,s),zt(n.error,l),{...n,recount:l}}async function ro(e,t){let s=ht(t,I(),B());s.set("format","csv"),s.set("limit",String(so));let n=[],o;do{o&&s.set("before",o);let r=await Es(F(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<to);return{text:yn(n),hasMore:o!==null}}function io({route:e}){let t=W(),s=Js(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=es(s,I(),B()),i=s.range==="custom",[a,l]=k(!1),d=r&&s.sort==="",c=a&&d,f=no(t,s,c),p=oo(t,s,c),m=g=>location.hash=q(g,n,o),v=()=>{f.reload(),p.recount()};return u`
    <div class="view wide-view" data-view="requests">
      <${se}
        title="Requests"
        note=${`Requests of ${t.hasAdmin?"all keys":"your key"}. Their content is not stored.`}
      >
        <button
          type="button"
          aria-pressed=${String(c)}
          class=${c?"live-button on":"live-button"}
          title=${d?"Show requests as they end":`Choose ${r?"the order by time":"a range up to now"}`}
          disabled=${!d}
          aria-keyshortcuts="Alt+Shift+L"
          onClick=${()=>l(!c)}
        ><span class="dot" aria-hidden="true"></span>Live</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${v}
          disabled=${f.isLoading}>Refresh</button>
        <${Ia} session=${t} filters=${s} counts=${p} />
      <//>
      <${_n}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&u`
        <${eo}
          intervals=${Xn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(g,b)=>m(mt(s,g,b))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${Ra}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${g=>m({...s,...g})}
          />
        </div>
        ${n&&u`
          <${Wn}
            key=${n}
            id=${n}
            time=${o}
            session=${t}
            filters=${s}
            rows=${f.rows}
          />
        `}
      </div>
    </div>
  `}function Ra({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:a,isLoading:l,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:u`<${A} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!l?u`<${La} filters=${t} />`:u`
    <div class=${`stack ${l?"stale":""}`}>
      <${Fn} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${l?"":Ea(t,e)} />
    </div>
    <${T} error=${a} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&u`
        <button type="button" class="no-print" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":Ye(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function Ea({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=["cost_usd","first_token_ms","path","model","provider"].includes(e)?" Requests without this value are left out.":"";return t.length<nt?`All requests of this time and these filters.${n}`:`The first ${nt} in this order, of all requests of this time and these filters.${n}`}function La({filters:e}){let t={...e,range:"90d",from:"",to:""};return u`
    <div class="card empty stack">
      <p>
        ${Ye(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&u`
        <p><a class="button" href=${q(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function Na(e){let t=B(),{from:s,to:n}=es(e,I(),t);return`requests_${Y(s,t)}_${Y(n-1,t)}.csv`}function Ia({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=k({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await ro(e,t);wt(Na(t),c);let p=f&&new Error("The file contains only the newest requests: choose a shorter period");r({error:p})}catch(c){r({error:c})}},a=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),l=a>Tt,d=l?`newest ${$(Tt)} rows`:`${$(a)} rows`;return u`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(Tt)} requests`}
    >${s||l?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var vo={};ke(vo,{default:()=>ho});async function De(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}function uo(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function lo(e){let t=l=>e.reduce((d,c)=>d+(c[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens"),a=e.length===1?"request":"requests";return{title:`${$(e.length)} ${a} in ${Bs(o)}; ${r}, ${Pa(e)}`,text:i===0?"No input tokens are known.":`${C(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function Pa(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${y(s)}`}var Ct=["key","team","owner","model","provider"],qt=new Map([["cost","cost_usd"],["moves","affinity_moves"],["requests","requests"],["failed","errors"]]),Mt=["id",...Ct,...qt.keys()],ds=[...Ct.map(e=>`${e}:`),"cost>1","moves>0","failed>0"];function co(e){return{...Object.fromEntries(Mt.map(t=>[t,e.get(t)??""])),...qe(e)}}function ue(e,t){let s=new URLSearchParams;for(let o of[...Mt,...Ks]){let r=o==="range"&&e.range==="custom";e[o]&&!r&&s.set(o,e[o])}return`${t===void 0?"#/sessions":`#/sessions/${encodeURIComponent(t)}`}?${s}`}function fo(e){return{...e,...Object.fromEntries(Mt.map(t=>[t,""]))}}function At(e){return Mt.filter(t=>e[t]!=="").map(t=>({filter:t,name:t,value:e[t],sign:qt.has(t)?">":":"}))}function po(e,t){let s={...t};for(let[n]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let o=n.replaceAll('"',""),[,r="",i="",a=""]=/^([a-z]+)([:>])(.*)$/i.exec(o)??[];if(i===">"&&qt.has(r)){if(!/^\d{1,9}(\.\d{1,9})?$/.test(a))return{fault:`'${r}>' needs a number`};s[r]=a}else if(i===":"&&Ct.includes(r)){if(a==="")return{fault:`'${r}:' needs a value`};s[r]=a}else s.id=i===":"&&r==="id"?a:o}return{filters:s}}function $o(e){return Object.fromEntries(Ct.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function mo(e,t){let s=new Map;for(let r of e){if(r.session===null)continue;let i=s.get(r.session)??{session:r.session,last:""};for(let[a,l]of Object.entries(r))typeof l=="number"&&(i[a]=(i[a]??0)+l);r.hour>i.last&&(i.last=r.hour),s.set(r.session,i)}let n=t.id.toLowerCase(),o=[...qt].filter(([r])=>t[r]!=="");return[...s.values()].filter(r=>r.session.toLowerCase().includes(n)&&o.every(([i,a])=>(r[a]??0)>Number(t[i])))}var Da=200,Fa=5;function ho({route:e}){let t=W(),s=e.path[0],n=B(),o=co(e.query),r=$o(o),i=[t.hasAdmin,o.range,o.from,o.to,n],a=K(()=>Ua(o,n),i),{data:l,error:d,isLoading:c}=L(f=>Ba(t,{...a,...r},f),[...i,JSON.stringify(r)]);return u`
    <div class="view" data-view="sessions">
      <${se}
        title="Sessions"
        note="Requests that clients grouped by a session ID, such as those of one agent."
      />
      <${ja} filters=${o} session=${t} opened=${s} />
      <${T} error=${d} title="The sessions cannot be listed" />
      ${l===void 0&&!d&&u`<${A} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${l!==void 0&&u`
          <div class=${`list stack ${c?"stale":""}`}>
            <${Xa} data=${l} filters=${o} opened=${s} />
          </div>
        `}
        ${s!==void 0&&u`
          <${Va} key=${s} id=${s} session=${t} times=${a}
            filters=${o} />
        `}
      </div>
    </div>
  `}function Ua(e,t){let{from:s,isOpen:n,to:o}=_e(e,I(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function Ba(e,t,s){let{parts:n,hasMore:o}=await De(async r=>{let i=F(e,"usage",{...t,group_by:"session,hour",...r}),{data:a,next:l}=await O(i,{signal:s});return{part:a,next:l}});return{entries:n.flat(),hasMore:o}}function ja({filters:e,session:t,opened:s}){let n=Le(t),o=i=>location.hash=ue(i,s),r=t.hasAdmin?ds:ds.filter(i=>!Ha.test(i));return u`
    <${kt}
      label="Filter the sessions"
      words=${At(e)}
      current=${ue(e,s)}
      placeholder="Add a filter: key:, model:, provider:, cost>1, moves>0, a part of an ID"
      offered=${i=>{let{name:a}=Ee(i);return _t(i,[...r,...n.of(a).map(l=>`${a}:${/\s/.test(l)?`"${l}"`:l}`)])}}
      onAdd=${i=>{let a=po(i,e);return a.fault===void 0&&o(a.filters),a.fault}}
      onRemove=${i=>o({...e,[i]:""})}
      onType=${i=>{let{name:a}=Ee(i);r.includes(`${a}:`)&&n.load(a)}}
      clear=${At(e).length>0?ue(fo(e),s):void 0}
    />
  `}var Ha=/^(key|team|owner):/;function le(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var Ka=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},le("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),{id:"last",title:"Last",of:({last:e})=>e,text:Wa,panel:"low",hint:"The hour of the last request"},le("errors","Failed",({errors:e})=>e>0?e:void 0,$),le("input","Input",e=>e.input_tokens,E,{hint:"Input tokens",panel:"hide"}),le("cached","Cached",Ga,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),le("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),le("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,y,{hint:"What caches have saved",panel:"hide"}),le("cost","Cost",e=>e.cost_usd,(e,t)=>u`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${y(e)}</span>`,{card:"b"})];function Wa(e){let t=Date.parse(e);return u`<span title=${G(t)}>${ne(t).replace(/:00$/,"")}</span>`}function Ga(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function Xa({data:e,filters:t,opened:s}){let n=K(()=>mo(e.entries,t),[e,ue(t)]);return n.length===0?u`
      <p class="card empty">
        ${At(t).length>0?"No session matches these filters in this time.":u`No session in this time. A client names one by the header
              <code>x-sluice-session</code>.`}
      </p>
    `:u`
    <${U}
      label="Sessions"
      columns=${Ka}
      rows=${n}
      idOf=${o=>o.session}
      hrefOf=${o=>ue(t,o.session)}
      actionsOf=${o=>[{text:"Open",href:ue(t,o.session)},{text:"Its requests",href:q({...ae,session:o.session})},{text:"Copy the ID",copy:o.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${s}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>go(t)}
    />
    <p class="faint small" role="status">
      ${n.length===1?"1 session":`${$(n.length)} ${e.hasMore?"or more ":""}sessions`}
    </p>
  `}function go(e){location.hash=ue(e)}async function Ja(e,t,s,n){let o=[],r;for(let i=0;i<Fa&&r!==null;i++){let a={...s,session:t,limit:String(Da),...r&&{before:r}},{data:l,next:d}=await O(F(e,"requests",a),{signal:n});o.push(...l),r=d}return{turns:uo(o),hasMore:r!==null}}function Va({id:e,session:t,times:s,filters:n}){let{data:o,error:r}=L(i=>Ja(t,e,s,i),[e,s]);return u`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ie} text=${e} />
        </h2>
        <${Ns} icon="close" label="Close the session"
          onClick=${()=>go(n)} />
      </header>
      <div class="stack padded">
        <${T} error=${r} title="The session cannot be shown" />
        ${!o&&!r&&u`<${A} />`}
        ${o?.turns.length===0&&u`
          <p>This session has no request in this time.</p>
          <p><a class="button" href=${ue({...n,range:"90d",from:"",to:""},e)}>Show the last 90 days</a></p>
        `}
        ${o?.turns.length>0&&u`<${Za} ...${o} />`}
      </div>
    </section>
  `}function Za({turns:e,hasMore:t}){let{text:s,title:n}=lo(e),o=K(()=>Ya(e),[e]),r=e.findLast(i=>i.agent)?.agent;return u`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&u`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${U} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>q(ae,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function Ya(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>u`<span title=${G(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>u`
          ${s.hasMoved&&u`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":u`<${ie} text=${s.provider} />`}
          ${s.status>=400&&u`
            <${tt} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>u`<${Qa} turn=${s} most=${t} />`},le("first","First",s=>s.first_token_ms,_,{hint:"Time to first content"}),le("cost","Cost",s=>s.cost_usd,y,{card:"d"})]}function Qa({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return u`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${E(t)}
    </span>
  `}var Ro={};ke(Ro,{default:()=>Ao});var za=3e3;function bo({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=L(l=>O(n,{signal:l}),[n]);xe(i,za);let a=o?.data.find(l=>l.id===e);return u`
    <${H} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&u`<${A} />`}
        ${o&&!a&&u`<p>This provider is no longer configured.</p>`}
        ${a&&u`<${eu} provider=${a} />`}
      </div>
      <//>
  `}function eu({provider:e}){let t=ps(e,"breakers"),s=ps(e,"learned_rejections");return u`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${nu(e)}</span>
      ${e.workers?.length>1&&u`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${fs}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:a})=>[$s(o,n),u`<${vt} state=${r} />`,i,a===void 0?"\u2013":`in ${_(a)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${tu} provider=${e} />
    <h3>Learned rejections</h3>
    <${fs}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[$s(o,n),u`<span class="mono wrap-anywhere">${yo(r)}</span>`])}
      empty="None."
    />
  `}function tu({provider:e}){let t=ps(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?u`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:u`
    <${fs}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[$s(su(e,n),s),o??"all",r,`in ${_(i)}`])}
      empty="None."
    />
  `}function fs({label:e,columns:t,rows:s,empty:n}){return s.length===0?u`<p class="soft">${n}</p>`:u`
    <${Ae} label=${e}>
      <thead>
        <tr>${t.map(o=>u`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>u`
            <tr key=${r}>${o.map((i,a)=>u`<td key=${a}>${i}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function ps({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function $s(e,t){return u`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&u`<span class="faint small"> worker ${t}</span>`}
  `}function su({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function nu({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function yo(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="object"&&s!==null?yo(s):s}`).join(", ")}var ou=[...ts.keys()],ko={id:"state",isRising:!0};function _o({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=k(null),a=K(()=>au(s),[s]);if(e.length===0)return u`<p class="card empty">No provider is enabled.</p>`;let l=({id:c})=>[{text:"Breakers and keys",href:wo(c)},{text:"Its requests",href:q({...ae,provider:c})},{text:"Its failures",href:q({...ae,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return u`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&u`
          <span class="faint small">Attempts and durations since ${ne(t)}</span>
        `}
      </div>
      <${U} label="Providers" columns=${a} rows=${ss(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>wo(c)} actionsOf=${l}
        order=${ko} current=${o} />
    </section>
    ${o!==void 0&&u`
      <${bo} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&u`<${lu} id=${r} onClose=${()=>i(null)} />`}
  `}function wo(e){return`#/status/${encodeURIComponent(e)}`}function xo(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>ou.indexOf(t),cell:({state:t})=>u`<${ru} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>Fs(s)||s==="ok"?t?.since:void 0,text:t=>u`<span title=${G(t)}>${he(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>So(t,e),cell:t=>u`<${iu} entry=${t} now=${e} />`}]}function ru({state:e}){return e==="limited"?u`<span class="st slow">${ts.get(e).text}</span>`:u`<${Me} state=${e} />`}function So({health:e,last_failure:t},s){let n=e==null?"":Xe(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${zs(t)}, ${Us(t.time,s)}`;return o===""?r:`${o}; ${r}`}function iu({entry:e,now:t}){let{last_failure:s}=e,n=So(e,t);if(!s)return u`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return u`<a class="failure" href=${q(ae,o,r)} title=${n}>${n}</a>`}function au(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},...xo(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>u`<${uu} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},...Oo(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that eventually succeeded"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:_},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:_},To(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function Oo(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function To(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>u`
        ${e==="closed"?u`<span class="faint">Closed</span>`:u`<${vt} state=${e} />`}
          ${t>0&&u`<span class="faint small"> tries again in ${_(t)}</span>`}
      `}}function uu({history:e}){let t=en(e);return u`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>u`<span key=${n} class=${tn(s)??"none"}></span>`)}
    </span>
  `}function lu({id:e,onClose:t}){let[s,n]=k({}),o=async()=>{n({isBusy:!0});let l=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await O(l,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:a}=s;return u`
    <${H} title=${`Reset ${e}`} onClose=${t} class="narrow">
      <div class="stack">
        ${r===void 0?u`<p>
            This closes the circuit breakers, resumes the suspended keys and forgets the learned
            rejections of <code>${e}</code>, in every worker.
          </p>`:u`<p role="status">
            Cleared: ${r.breakers} breakers, ${r.suspended_keys} suspended keys,
            ${" "}${r.learned_rejections} learned rejections.
          </p>`}
        <${T} error=${i} title="Not reset" />
        <div class="row end">
          <button type="button" onClick=${t}>${r?"Close":"Cancel"}</button>
          ${!r&&u`
            <button type="button" class="primary" onClick=${o} disabled=${a}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function Co({models:e,now:t}){let s=K(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>u`<${ie} text=${n} />`},...xo(t),...Oo(),To()],[t]);return e.length===0?null:u`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${U} label="Targets" columns=${s} rows=${ss(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${ko} />
    </section>
  `}var cu=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>u`<span title=${e}>${e}</span>`}];function qo({providers:e}){return e.length===0?null:u`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${U} label="Disabled providers" columns=${cu} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var ms=120,Fe=26,Mo=60;function Rt({values:e,tone:t=""}){let s=Math.max(1,...e),n=Mo-e.length,o=i=>((n+i)/(Mo-1)*ms).toFixed(1),r=e.map((i,a)=>{let l=Fe-1-i/s*(Fe-3);return`${o(a)},${l.toFixed(1)}`}).join(" ");return u`
    <svg
      class=${`sparkline ${t}`}
      height=${Fe}
      viewBox=${`0 0 ${ms} ${Fe}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Fe} ${r} ${ms},${Fe}`}
        fill="currentColor"
      />
      <polyline
        points=${r}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  `}var du=.05;function Ao({route:e}){let t=W(),{state:s,history:n,isLive:o,error:r}=sn(F(t,"live")),a=`${t.hasAdmin?"All providers of this gateway":"The providers of the models that your key may use"}. States are those of the last 10 minutes.`;return u`
    <div class="view" data-view="status">
      <${se} title=${s===void 0?"Providers":Ys(s)} note=${a}>
        <${$u} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&u`<${A} text="Connecting" />`:u`
        <${fu} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function fu({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(a=>a.enabled),r=e.providers.filter(a=>!a.enabled),i=Date.parse(e.at);return u`
    <${pu} state=${e} now=${i} />
    <${hu} config=${e.config} />
    <${mu} state=${e} history=${t} enabled=${o.length} />
    <${_o} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${Co} models=${e.models??[]} now=${i} />
    <${qo} providers=${r} />
  `}function pu({state:e,now:t}){let s=Qs(e,t);return s.length===0?null:u`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>u`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function $u({isLive:e,state:t,error:s}){return e?u`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${ne(t.at)}</time>
      </span>
    `:u`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&u`<time class="faint mono">last at ${ne(t.at)}</time>`}
    </span>
  `}function mu({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:a}=e,l=o>0?r/o:0;return u`
    <dl class="figure-grid card live">
      <${P} label="In flight" value=${$(n)}>
        <${Rt} values=${t.map(d=>d.in_flight)} />
        <//>
        <${P} label="Requests per second" value=${Ge(o)}>
          <${Rt} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${P}
            label="Errors per second"
            value=${Ge(r)}
            note=${l>0?`${C(l,1)} of requests`:""}
            tone=${l>=du?"bad":""}
          >
        <${Rt} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${P}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${a&&u`
        <${P}
          label="Configuration"
          value=${a.valid?"Valid":"Stale"}
          tone=${a.valid?"":"warn"}
          note=${a.loaded_at&&`loaded ${ne(a.loaded_at)}`}
        />
      `}
    </dl>
  `}function hu({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return u`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${G(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&u`<p>${n}</p>`}
      ${t.length>0&&u`
        <ul class="faults mono">
          ${t.map((o,r)=>u`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var Tr={};ke(Tr,{default:()=>Or});var Et=36e5,gu=48*Et,vu="month",ce=["key","team","owner","model","provider","tag","end_user"],bu=["requests","errors","tokens","cost","latency"],rt={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(ce.map(e=>[e,""]))};function Lt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=ce.includes(t)?t:rt.by;return{...qe(e,vu),by:o,then:ce.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:bu.includes(s)?s:rt.show,tab:e.get("tab")==="bill"?"bill":rt.tab,...Object.fromEntries(ce.map(r=>[r,e.get(r)??""]))}}function Ue(e){return Object.fromEntries(ce.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Be(e,t="usage"){let s=new URLSearchParams;Je(s,e);for(let n of Object.keys(rt))e[n]!==rt[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function je(e,t,s){let{from:n,isOpen:o,to:r}=_e(e,t,s),i=r-n<=gu?"hour":"day",a=[],l=i==="hour"?n-n%Et:Z(n,s);for(;l<r;)a.push(l),l=i==="hour"?l+Et:Z(l,s,1);return{from:Math.min(n,a[0]??n),to:r,end:l,isOpen:o,unit:i,zone:s,starts:a}}function Eo(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:Y(e,s)}function Lo(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?Z(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*Et)),l=e.range==="month"||e.range==="last-month"?me(t,n,-1):Z(t,n,-i),d=Z(l,n,i);return{now:{from:t,to:r},before:{from:l,to:Math.min(d,t)}}}function Nt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var No=5,hs=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:E,isWhole:!0},{id:"cost",name:"Cost",of:N,format:y,isWhole:!1},{id:"latency",name:"Duration",format:yu,isWhole:!1,isLines:!0}];function yu(e){return e===0?"0":_(e)}function Do(e){return hs.find(t=>t.id===e)}function N({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function X(e){if(e===void 0)return y(0);let t=N(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${y(t)}`:y(t)}function Fo(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function Uo(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function Bo(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,a)=>i+a.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=it(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${X(r)}, all requests are ${$(e.requests)} and ${X(e)}.`}function de(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function jo(e,t,{by:s,show:n}){let{unit:o}=t,r=Do(n),{times:i,positions:a}=Ko(t),l=new Map;for(let v of e){let g=a.get(v[o]);if(g===void 0)continue;let b=v[s]??null,h=l.get(b);h===void 0&&(h={name:de(b,s),values:i.map(()=>0),sums:it()},l.set(b,h)),h.values[g]=r.of(v),h.sums=it(h.sums,v)}let d=({sums:v})=>r.of(v)??-1,c=[...l.values()].sort((v,g)=>d(g)-d(v)),f=c.slice(0,No).map(v=>Po(v,r)),p=c.slice(No),m=it(...c.map(({sums:v})=>v));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:Wo(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,Po(wu(p),r,!0)]}}function Ho(e,t,s){let{times:n,positions:o}=Ko(t),r=Io.map(({name:i,member:a})=>({name:i,isOther:!1,isPartial:!1,total:s?.[a]??null,values:n.map(()=>null)}));for(let i of e){let a=o.get(i[t.unit]);a!==void 0&&Io.forEach(({member:l},d)=>r[d].values[a]=i[l]??null)}return{metric:Do("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:Wo(n,t),unpriced:0,series:r}}var Io=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function Ko(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[Eo(n,e),o]));return{times:t,positions:s}}function Wo(e,{zone:t}){return e.map(s=>(s+Hs(s,t))/1e3)}function gs(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function Po({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function wu(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>_u(e.map(n=>n.values[s]))),sums:it(...e.map(({sums:t})=>t))}}var ku=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function it(...e){return Object.fromEntries(ku.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function _u(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var xu=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>de(e.provider,"provider")},{id:"cost",title:"Cost",of:N,cell:X,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:y},{id:"share",title:"Of its cost",isNumber:!0,of:e=>N(e)?e.unused_cost_usd/N(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:E,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:E,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:E,isNumber:!0}];function Go({entries:e,total:t}){let s=t?.unused_cost_usd??0;return u`
    <p>
      ${s>0?u`<strong>${y(s)}</strong> was paid for answers that were not used, ${C(s,N(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${U} label="Cost by provider" columns=${xu} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var Su="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),Xo={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function Jo(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),a=l=>s.top+s.height*(1-l/t);return e.map(({values:l})=>l.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,v=a(i[f]);return`M${fe(m)} ${fe(v)}h${fe(r)}V${fe(a(p))}h${fe(-r)}z`}).join(""))}function Vo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let a=fe(s.left+n*(i+.5)),l=fe(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${a} ${l}h0`:`L${a} ${l}`}).join(""))}var It={height:240,left:64,right:8,top:14,bottom:26};function Zo({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:a,left:l,top:d}=It,c=s.at(-1),f=vs([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-It.right,v=h=>fe(l+(m-l)*(h-e)/(t-e)),g=h=>fe(d+(a-d-i)*(1-h/p)),b=`M${v(c.time)} ${g(c.usd)}`;return{ticks:f,x:v,y:g,right:m,spent:s.map(({time:h,usd:x},w)=>`${w===0?"M":"L"}${v(h)} ${g(x)}`).join(""),band:n&&`${b}L${m} ${g(n.high)}V${g(n.low)}z`,line:n&&`${b}L${m} ${g(n.usd)}`,budget:o===void 0?void 0:`M${l} ${g(o)}H${m}`}}function vs(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,a=t?Math.max(1,i*r):i*r,l=Math.ceil(o/a-1e-9);return Array.from({length:l+1},(d,c)=>Number((c*a).toPrecision(12)))}function Yo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=Xo[t].find(r=>e.length/r<=n)??Xo[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:Ou(r,t)}]:[])}function Ou(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${Su[s.getUTCMonth()]}`}function bs(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function fe(e){return Math.round(e*10)/10}var Pt=240,ve=64,Qo=8,Dt=10,Tu=26,Cu=48;function zo({chart:e,linkOf:t}){let[s,n]=k(null),{isOpen:o,metric:r,unit:i,times:a,series:l,unpriced:d,zone:c}=e,f=s!==null&&s<a.length?s:null;return u`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${bs(a[f],i)} ${c}`}
        </span>
      </figcaption>
      <${qu} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${l.map(({name:p,values:m,isOther:v,...g},b)=>u`
            <li key=${`${b}${p}`}>
              <span class=${`swatch ${tr(v,b)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?er(g,r):ys(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&u`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Mu} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function qu({chart:e,hovered:t,onHover:s,linkOf:n}){let o=D(null),r=Ie(o),{isOpen:i,metric:a,unit:l,times:d,series:c}=e,f={left:ve,top:Dt,width:r-ve-Qo,height:Pt-Dt-Tu},p=f.width/d.length,m=vs(c,a),v=a.isLines?Vo:Jo,g=r===0?[]:v(c,m.at(-1),f),b=w=>f.top+f.height*(1-w/m.at(-1)),h=w=>{let S=w.clientX-o.current.getBoundingClientRect().left-ve,M=Math.floor(S/p);s(M>=0&&M<d.length?M:null)},x=`${a.name} per ${l}: ${c.map(({name:w,...S})=>`${w} ${er(S,a)}`).join(", ")}`;return u`
    <div
      class=${a.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a period"
      onPointerMove=${h}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${Pt}
        viewBox=${`0 0 ${r} ${Pt}`}
        role="img"
        aria-label=${x}
      >
        ${t!==null&&u`
          <rect
            class="hovered"
            x=${ve+t*p}
            y=${Dt}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(w=>u`
            <g key=${w}>
              <line class="grid" x1=${ve} x2=${r-Qo} y1=${b(w)} y2=${b(w)} />
              <text x=${ve-8} y=${b(w)+4} text-anchor="end">${a.format(w)}</text>
            </g>
          `)}
        ${g.map((w,S)=>u`<path key=${S} class=${tr(c[S].isOther,S)} d=${w} />`)}
        ${i&&!a.isLines&&r>0&&u`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${ve+(d.length-1)*p} y=${Dt} width=${p}
            height=${f.height} />
        `}
        ${r>0&&Yo(d,l,f.width).map(({index:w,text:S})=>u`
            <text
              key=${w}
              x=${ve+(w+.5)*p}
              y=${Pt-8}
              text-anchor=${(d.length-w-.5)*p<Cu/2?"end":"middle"}
            >${S}</text>
          `)}
      </svg>
    </div>
  `}function ys(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function er({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${ys(e,s)}`}function tr(e,t){return e?"series-other":`series-${t+1}`}function Mu({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,a]=k(!1);return u`
    <details onToggle=${l=>a(l.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${i&&u`
        <${Ae} label=${`${s.name} per ${n}`}>
          <thead>
            <tr>
              <th scope="col">Time, ${r}</th>
              ${t.map(({name:l},d)=>u`<th key=${d} scope="col" class="number">${l}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${e.map((l,d)=>u`
                <tr key=${l}>
                  <th scope="row" class="name">
                    <a href=${o(d)}>${bs(l,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>u`
                      <td key=${f} class="number">${ys(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var nr=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function ws({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[Y(t,n),Y(s-1,n),...r].join("_")}.csv`}function or({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(a=>a),i=[[...r,...nr]];for(let a of t??s)i.push([...r.map(l=>de(a[l],l)),...sr(a)]);return i.push([...r.map((a,l)=>l===0?"Total":""),...sr(o??{})]),i.map(a=>a.map(Au).join(",")+`
`).join("")}function sr(e){return nr.map(t=>e[t]??(t==="cost_usd"?"":0))}function Au(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function rr({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return u`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${ws(e)}
      onClick=${()=>wt(ws(e),or(e))}>CSV, ${s}</button>
  `}var Ru={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function ir({choice:e,session:t,onChange:s}){let[n,o]=k(e),r=Le(t),i=ce.map(c=>e[c]).join(`
`);j(()=>o(e),[i]);let a=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&Eu(c,e)})},l=new Set(["key","team","owner"]),d=ce.filter(c=>!l.has(c)||t.hasAdmin);return u`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>u`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${Ru[c]}</label>
            <input
              id=${`usage-${c}`}
              type="text"
              aria-keyshortcuts=${c==="model"?"Alt+Shift+F":void 0}
              autocomplete="off"
              spellcheck=${!1}
              placeholder="All"
              list=${`usage-${c}-values`}
              value=${n[c]}
              onFocus=${()=>r.load(c)}
              onInput=${f=>o({...n,[c]:f.target.value})}
              onChange=${f=>a(c,f.target.value)}
              onKeyDown=${f=>f.key==="Enter"&&a(c,f.target.value)}
            />
            <datalist id=${`usage-${c}-values`}>
              ${r.of(c).map(f=>u`<option key=${f} value=${f} />`)}
            </datalist>
          </div>
        `)}
      ${i.trim()!==""&&u`
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(ce.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function Eu(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}function Ft({filters:e={},period:t}){let s=Object.entries(e).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return u`
    <p class="only-print">
      ${[`${G(t.from)} to ${G(Math.min(t.to,I()))}`,...s].join(", ")}
    </p>
  `}var Lu=864e5,Nu=7,Iu=3;function ur({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=Z(s,n),i=[];for(let p=1;p<=Nu;p++){let m=Z(r,n,-p);if(m<o)break;i.push(t.get(Y(m,n))??0)}if(i.length<Iu)return;let l=(me(s,n,1)-s)/Lu,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*l;return{usd:f(c),low:f(ar(d,.1)),high:f(ar(d,.9)),mean:c,left:l,days:i.length}}function lr({spent:e,costs:t,now:s,zone:n}){let[o,r]=[me(s,n),me(s,n,1)],i=[{time:o,usd:0}];for(let a=o;a<Z(s,n);){let l=i.at(-1).usd+(t.get(Y(a,n))??0);a=Z(a,n,1),i.push({time:a,usd:l})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function cr(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function ar(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function dr(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:a,unpriced:l,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=a??0,f=l>0?"at least ":"";if(!n)return{title:`${r}: ${a===null?"an unknown cost":`${f}${y(c)}`}`,text:`${$(i)} requests.`};let p=Ce(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${y(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,v=t===void 0?"":m>0?`, ${J(m)} over the budgets`:`, ${J(-m)} under the budgets`;return{title:`${p} will end near ${f}${J(s.usd)}${v}`,text:`${y(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${y(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${J(s.low)} and ${J(s.high)}.`}}function J(e){return e<100?y(e):`$${$(Number(e.toPrecision(3)))}`}var Pu=new Set(["(other)","(unreadable)"]);function fr(e,{from:t,to:s},n={}){let o=Object.entries(Ue(e)).filter(([r])=>Ze.includes(r));return q(mt({...ae,...Object.fromEntries(o),...n},t,s))}function ks(e,t,s,n,o=""){if(!(n==null||Pu.has(n)))return Ze.includes(s)?fr(e,t,{[s]:n,status:o}):Be({...e,[s]:n,by:"key",then:""})}function pr(e,{end:t,starts:s},n){return fr(e,{from:s[n],to:s[n+1]??t})}var Du=2e4,Fu=8;function $r(e,t,s){let n=Ue(t),o=m=>{let v=async(b,h,x=s)=>{let w={...Nt(h,x),...n,...b!==""&&{group_by:b}},{parts:S,hasMore:M}=await De(async V=>{let{data:R,next:re}=await O(F(e,"usage",{...w,...V}),{signal:m});return{part:R,next:re}});return{entries:S.flat(),hasMore:M}},g=()=>e.hasAdmin?Promise.all([ft({},m),v("key",je(t,I(),s))]).then(([b,{entries:h}])=>cr(b,h,t)).catch(()=>{}):O("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:b})=>Gu(b)?b.limit_usd:void 0);return Uu({choice:t,get:v,now:I(),zone:s,budgets:g})},{by:r,from:i,prefix:a,range:l,show:d,then:c,to:f}=t,p=[e.hasAdmin,l,i,f,r,c,a,s,d==="latency"];return L(o,[...p,JSON.stringify(n)])}async function Uu({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,a=je(e,s,n),l=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(a.from,Z(s,n,-Fu)),to:s+1}:void 0,f=d&&Wu.every(Q=>e[Q]===""),[p,m,v,g,b,h,x]=await Promise.all([t("",a),t(r,a),i===""?void 0:t(`${r},${i}`,a),t("model,provider",a),c&&t("day",c),Hu(e,t,a),f?o():void 0]),w=m.entries.length*a.starts.length,S=m.hasMore||w>Du,M=await t(S||l?a.unit:`${a.unit},${r}`,a),V=p.entries[0],R=V===void 0?0:N(V),re=new Map((b?.entries??[]).map(Q=>[Q.day,N(Q)??0])),ct={spent:R??0,costs:re,now:s,zone:n},As=b&&ur({...ct,since:h.since}),Yt=Q=>r==="tag"&&e.prefix!==""?Uo(Q,e.prefix):Q;return{total:V,period:a,choice:e,by:r,then:i,isLatency:l,isTogether:S,budget:x,forecast:As,course:d?lr(ct):void 0,headline:{spent:R,forecast:As,budget:x,now:s,zone:n,isMonth:d,requests:V?.requests??0,unpriced:V?.unpriced_requests??0},groups:Yt(m.entries),hasMore:m.hasMore,detailed:v&&Yt(v.entries),prefixes:r==="tag"?Fo(m.entries):[],series:S||l?M.entries:Yt(M.entries),compared:h.result,bill:Bu(g.entries),unpriced:g.entries.filter(({unpriced_requests:Q})=>Q>0).sort((Q,li)=>li.unpriced_requests-Q.unpriced_requests)}}function Bu(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...ju(s),provider:t}))}function ju(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function Hu(e,t,s){let n=Lo(e,s),o=me(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[a,l]=await Promise.all([t("",n.now),t("",n.before)]),d=a.entries[0]&&l.entries[0]?{now:a.entries[0],before:l.entries[0],name:Ku(n.before,s.zone)}:void 0;return{since:i,result:d}}function Ku({from:e,to:t},s){return Ce(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var Wu=["model","provider","tag","end_user"];function Gu(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var mr=14;function hr({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=D(null),r=Ie(o),{start:i,end:a,points:l}=t,{height:d,left:c,top:f}=It,{right:p,ticks:m,x:v,y:g,...b}=Zo({course:t,forecast:s,budget:e,width:r}),h=Ce(n,{day:"numeric",month:"short"}),x=l.at(-1),w=[i,(i+a)/2,a-1],S=[`${y(x.usd)} on ${h.format(x.time)}`,s&&`forecast ${J(s.usd)} on ${h.format(a-1)}, between ${J(s.low)} and ${J(s.high)}`,e!==void 0&&`the budget is ${y(e)}`].filter(Boolean).join("; ");return u`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${h.format(a-1)}: ${J(s.usd)}`:`Until ${h.format(x.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${S}>
          ${m.map(M=>u`
              <g key=${M}>
                <line class="grid" x1=${c} x2=${p} y1=${g(M)} y2=${g(M)} />
                <text x=${c-8} y=${g(M)+4} text-anchor="end">${y(M)}</text>
              </g>
            `)}
          ${w.map((M,V)=>u`
              <text key=${Y(M,n)} x=${v(M)} y=${d-8}
                text-anchor=${["start","middle","end"][V]}>${h.format(M)}</text>
            `)}
          ${b.band&&u`<path class="band" d=${b.band} />`}
          ${b.budget&&u`<path class="budget-line" d=${b.budget} />`}
          <path class="spent" d=${b.spent} />
          ${b.line&&u`<path class="forecast" d=${b.line} />`}
          ${b.budget&&u`
            <text x=${c+4} y=${g(e)+(g(e)<f+mr?mr:-4)}
            >Budget ${y(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&u`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var Xu=[{name:"input",label:"US dollars per million input tokens"},{name:"output",label:"US dollars per million output tokens"},{name:"cached_input",label:"Per million cached input tokens",isOptional:!0}];function gr(e){let t=Re([e]).map(({per:o,setting:r})=>({name:r,label:`US dollars per ${o}`})),s=t.length===0||e.input_tokens+e.output_tokens>0,n=Xu.map(o=>t.length>0?{...o,isOptional:!0}:o);return[...t,...s?n:[]]}function vr({data:e,targets:t},s,n){let o=(e.find(({id:i})=>i===s)?.steps??[]).flatMap(i=>i.targets).filter(i=>i.provider===n).map(({upstream:i})=>i),r=t.filter(i=>i.provider===n&&o.includes(i.upstream));return r.length>0?r.map(({id:i})=>i):s===null?[]:[s]}function br(e,t,s,n,o){let r=e.find(({path:p})=>p[0]==="providers"&&p[1]===t);if(r===void 0||s===void 0)return{fault:"config.yaml has no such provider: change its text."};let i=r.fields.find(({path:p})=>p.length===1&&p[0]==="models");if(i?.items===void 0)return{fault:"The provider has no list of models: name the model in 'models' first."};let a=n.map(({isOptional:p,name:m})=>[m,o[m]??"",p]);if(!a.every(([,p,m])=>/^\d+(\.\d+)?$/.test(p)||m&&p===""))return{};let d=Object.fromEntries(a.filter(([,p])=>p!=="").map(([p,m])=>[p,Number(m)])),c=i.items.findIndex(({name:p})=>p===s),f=[...r.path,"models",c===-1?i.items.length:c];return c!==-1&&i.items[c].is_text?{edits:[{path:[...f,"prices"],value:d}]}:{edits:[{path:f,value:{id:s,prices:d}}]}}var _s=20;function yr({entries:e,canSet:t}){let[s,n]=k(void 0),[o,r]=k([]),i=t&&e.length>0,{data:a}=L(async f=>i?await O("/v1/admin/config",{signal:f}):void 0,[i]);if(e.length===0)return null;let l=new Set(e.map(({model:f})=>f)).size,d=e.reduce((f,p)=>f+p.unpriced_requests,0),c=a?.editable===!1?a.read_only_reason:void 0;return u`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${$(l)} ${l===1?"model has":"models have"} no price</h2>
      <p>${$(d)} ${d===1?"request is":"requests are"} not in these sums.${c&&u`<span class="soft"> ${c}.</span>`}</p>
      <ul class="price-list">
        ${e.slice(0,_s).map(f=>u`
            <li key=${xs(f)}>
              <span class="wrap-anywhere"><code>${f.model??"(no model)"}</code>
                <span class="soft"> at ${f.provider??"no provider"}, ${$(f.unpriced_requests)} ${f.unpriced_requests===1?"request":"requests"}</span></span>
              ${o.includes(xs(f))?u`<span class="soft">Requests have a cost from now on.</span>`:t&&u`
                  <button type="button" class="small" title=${c}
                    disabled=${!a||c!==void 0}
                    onClick=${()=>n(f)}
                    aria-label=${`Set a price of ${f.model} at ${f.provider}`}
                  >Set a price</button>
                `}
            </li>
          `)}
      </ul>
      ${e.length>_s&&u`
        <p class="soft">And ${$(e.length-_s)} more.</p>
      `}
      ${s&&u`
        <${Vu} entry=${s} onClose=${()=>n(void 0)}
          onSaved=${()=>{r([...o,xs(s)]),n(void 0)}} />
      `}
    </section>
  `}function xs({model:e,provider:t}){return JSON.stringify([e,t])}async function Ju({model:e,provider:t},s){let[n,o]=await Promise.all([O("/v1/admin/config",{signal:s}),O("/v1/admin/routes",{signal:s})]),r=n.file_text??n.text,{objects:i}=await O("/v1/admin/config/form",{body:{text:r,edits:[]},signal:s});return{config:n,base:r,objects:i,targets:vr(o,e,t)}}function Vu({entry:e,onSaved:t,onClose:s}){let n=Is("price"),[o,r]=k(0),{data:i,error:a}=L(w=>Ju(e,w),[o]),[l,d]=k(void 0),[c,f]=k({}),[p,m]=k({}),v=gr(e),g=i?.targets.find(w=>w===l)??i?.targets[0],{edits:b,fault:h}=i?br(i.objects,e.provider,g,v,c):{};if(p.text!==void 0)return u`
      <${nn} config=${i.config} base=${i.base} text=${p.text}
        onSaved=${t} onClose=${s} onReload=${()=>{r(o+1),m({})}} />
    `;let x=async w=>{w.preventDefault();try{let S={text:i.base,edits:b};m(await O("/v1/admin/config/form",{body:S}))}catch(S){m({error:S})}};return u`
    <${H} title=${`Set a price of ${e.model}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${x}>
        <${T} error=${a??p.error} title="The price cannot be set" />
        ${!i&&!a&&u`<${A} />`}
        ${i?.targets.length>1&&u`
          <div class="field">
            <label for=${n}>Model in config.yaml</label>
            <select id=${n} value=${g} onChange=${w=>d(w.target.value)}>
              ${i.targets.map(w=>u`<option key=${w} value=${w}>${w}</option>`)}
            </select>
          </div>
        `}
        ${i&&h&&u`<p class="fault">${h}</p>`}
        ${v.map(({label:w,name:S,isOptional:M})=>u`
            <div class="field" key=${S}>
              <label for=${`${n}-${S}`}>${w}${M?", if it differs":""}</label>
              <input id=${`${n}-${S}`} type="text" inputmode="decimal" autocomplete="off"
                value=${c[S]??""} required=${!M}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${V=>f({...c,[S]:V.target.value})} />
            </div>
          `)}
        <p class="hint">Requests have a cost from then on; earlier ones still have none.</p>
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="submit" class="primary" disabled=${!b}>Review the change</button>
        </div>
      </form>
      <//>
  `}var wr={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},Ss=e=>({of:t=>t[e],text:E,isNumber:!0});function Zu(e,t){let s=e?N(e)??0:0;return[{id:"cost",title:"Cost",of:N,cell:X,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(N(n)??0)/s:void 0,cell:n=>C(N(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?u`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...Ss("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...Ss("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...Ss("output_tokens")},...gt.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:y},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:_,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:_,isNumber:!0}]}function Yu({cell:e,of:t,text:s},n){let o=t(n);return Ls(o)?"\u2013":e?.(n)??s(o)}function kr({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,a]=k({id:"cost",isRising:!1}),l=wr[s]+(n===""?"":`, ${wr[n].toLowerCase()}`),d=[{id:"name",title:l,isRisingFirst:!0,card:"a",...o&&{foot:"All"},of:({isSub:f,...p})=>de(p[f?n:s],f?n:s)},...Zu(o,r).map(f=>({...f,...o&&{foot:Yu(f,o)}}))],c=K(()=>{let f=d.find(({id:v})=>v===i.id),p=Qt(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,v=>v[s]);return p.flatMap(v=>[v,...Qt((m.get(v[s])??[]).map(g=>({...g,isSub:!0})),f,i.isRising)])},[e,t,i]);return u`
    <${U} label=${`Usage by ${l.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${a} />
  `}var Qu=.05;function _r({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:a=0,output_tokens:l=0}=o??{},d=o?N(o):0;return u`
    <dl class="figure-grid card">
      <${P} label="Cost" value=${X(o)}
        note=${zu(t!==void 0&&`${C(d??0,t)} of ${y(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&u`
        <${P} label="Forecast" value=${J(n.usd)}
          note=${`${J(n.low)} to ${J(n.high)}`} />
      `}
      ${s&&u`
        <${P} label=${`Against ${s.name}`} value=${gs(N(s.now),N(s.before))||"\u2013"}
          note=${`${X(s.now)} against ${X(s.before)}, full days`} />
      `}
      <${P} label="Requests" value=${$(r)}
        note=${s&&gs(s.now.requests,s.before.requests)} />
      <${P} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*Qu?"bad":""} />
      <${P} label="Input tokens" value=${E(a)} note=${el(o)} />
      <${P} label="Output tokens" value=${E(l)} note=${tl(o)} />
      ${Re([o]).map(({id:c,title:f,text:p})=>u`<${P} key=${c} label=${f} value=${p(o[c])} />`)}
      <${P} label="Duration, p50" value=${r>0?_(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${_(o.p95_ms)}`:""} />
    </dl>
  `}function zu(...e){return e.filter(t=>t).join(", ")}function el(e){return e?.cached_input_tokens>0?`${E(e.cached_input_tokens)} cached`:""}function tl(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var sl=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],xr=["tag","end_user"],nl=["team","owner","key"];function Ut(e,t,s=""){let n=xr.filter(o=>t[o]!==""||o===s);return sl.filter(([o])=>(e.hasAdmin||!nl.includes(o))&&o!==s&&(!xr.includes(o)||n.every(r=>r===o)))}function ol(e,t){let s=(r,i)=>r.some(([a])=>a===i),n=s(Ut(e,t),t.by)?t.by:"model",o=s(Ut(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function Or({route:e}){let t=W(),s=bt(),n=ol(t,Lt(e.query)),{data:o,error:r,isLoading:i,reload:a}=$r(t,n,s),l=f=>location.hash=Be({...n,...f}),{title:d,text:c}=o?dr({...o.headline,rangeName:dt(n,s)}):{title:"Usage",text:""};return u`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${a}
            disabled=${i}>Refresh</button>
          ${o&&u`<${rr} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${ir} choice=${n} session=${t} onChange=${l} />
      ${o&&u`<${Ft} filters=${Ue(n)} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&u`<${A} text="Loading the usage" />`}
      ${o&&u`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${_r} data=${o} />
          <${yr} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row no-print"><${$e} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>l({tab:f})} /></div>
          ${o.groups.length===0?u`<div class="card empty">No request has ended in this period.</div>`:n.tab==="bill"?u`<${Go} entries=${o.bill} total=${o.total} />`:u`
              <${rl} data=${o} choice=${n} session=${t} onChange=${l} />
            `}
        </div>
      `}
    </div>
  `}function rl({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:a,isLatency:l,isTogether:d,period:c,series:f,then:p,total:m}=e,v=l?Ho(f,c,m):jo(f,c,{by:d?null:o,show:Sr(t)}),g=e.course!==void 0&&Sr(t)==="cost",b=(h,x)=>e.choice.prefix===""?ks(e.choice,c,o,h[o],x):ks(e.choice,c,o,`${e.choice.prefix}:${h[o]}`,x);return u`
    <div class="row spread no-print">
      <div class="row">
        <${$e} label="Group by" value=${t.by} options=${Ut(s,t)}
          onChange=${h=>n({by:h,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${h=>n({then:h.target.value})}>
            <option value="">nothing</option>
            ${Ut(s,t,t.by).map(([h,x])=>u`<option key=${h} value=${h}>${x}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&u`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${h=>n({prefix:h.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(h=>u`<option key=${h} value=${h}>${h}:</option>`)}
            </select>
        `}
      </div>
      <${$e} label="Figure of the chart" value=${t.show}
        options=${hs.map(({id:h,name:x})=>[h,x])}
        onChange=${h=>n({show:h})} />
    </div>
    <div class=${g?"usage-charts":""}>
      <${zo} chart=${v} linkOf=${h=>pr(e.choice,c,h)} />
      ${g&&u`<${hr} data=${e} />`}
    </div>
    ${d&&!l&&u`
      <p class="hint">
        There are ${a?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&u`<p class="hint">${Bo(m,i,a)}</p>`}
    <section>
      <${kr} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${b} />
    </section>
  `}function Sr({show:e}){return e==="latency"?"requests":e}var Fr={};ke(Fr,{default:()=>Dr});var Cr=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function z(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function qr(e){let t=N(e),{net:s,unknown:n}=z(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function Mr(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function Ar(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}function Rr(e){let{hedges:t,net:s,order:n,prompt:o,response:r}=z(e);return`${y(s)} is ${y(o)} of prompt caching, ${y(r)} of the response cache and ${y(n)} of the cheapest target first, less ${y(t)} for hedges. Sessions that stay are a part of prompt caching.`}var Er={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache automatically.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Tries the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function Lr({total:e}){let t=z(e);return u`
    <div class="saving-grid">
      <${il} total=${e} amounts=${t} />
      <${al} total=${e} />
      <${ul} total=${e} amounts=${t} />
      <${ll} total=${e} amounts=${t} />
      <${cl} total=${e} amounts=${t} />
      <${dl} total=${e} />
    </div>
  `}function il({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return u`
    <${He}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${y(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",y(t.reads)],["Writes cost",y(t.writes)],["Cached input",`${C(s,o)}, ${E(s)} of ${E(o)}`],["Written",`${E(n)} tokens`],Bt(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function al({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=Mr(e);return u`
    <${He}
      id="sessions"
      title="Sessions that stay"
      isUsed=${Ar(e)>0}
      value=${y(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",Nr(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function ul({total:e,amounts:t}){return u`
    <${He}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${y(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Bt(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function ll({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return u`
    <${He}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${y(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],Bt(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function cl({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return u`
    <${He}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${y(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],Bt(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function dl({total:e}){let{queued_requests:t,queued_ms:s}=e;return u`
    <${He}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",_(t===0?0:s/t)],["All waits",_(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function Nr(e){return e===1?"1 request":`${$(e)} requests`}function Bt(e){return e>0?["Unknown price",`${Nr(e)}, not included`]:void 0}function He({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:a}){return u`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?u`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${ee} class="saving-facts" facts=${i.filter(l=>l)} />
          <p class="hint">${a}</p>
        `:u`<${fl} id=${e} />`}
    </section>
  `}function fl({id:e}){let{text:t,config:s}=Er[e];return u`
    <p class="soft">No request used it in this period.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${te} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var pl={model:"Alias or model",provider:"Provider",key:"Key"},$l=[{id:"net",title:"Net saved",isNumber:!0,card:"b",hint:"Prompt caching, response cache and cheapest first, less hedges",of:e=>z(e).net,cell:e=>{let{net:t,unknown:s}=z(e);return`${y(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching","Cached input at its price, less the cost of writes"],["response","Response cache","The cost of the answers when they were made"],["order","Cheapest first, est.","Against the first target of config.yaml"],["hedges","Hedges cost","Attempts whose answer was not used"]].map(([e,t,s])=>({id:e,title:t,hint:s,isNumber:!0,text:y,of:n=>z(n)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>C(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:N,cell:X,isNumber:!0,card:"d"}];function Ir({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:pl[s],of:o=>de(o[s],s),isRisingFirst:!0},...$l];return u`
    <${U} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&u`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var Pr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function Dr({route:e}){let t=W(),s=t.hasAdmin?Pr:Pr.filter(([p])=>p!=="key"),n=Lt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=bt(),{data:a,error:l,isLoading:d,reload:c}=ml(t,r,i),f=p=>location.hash=Be({...r,...p},"savings");return u`
    <div class="view" data-view="savings">
      <${se}
        title=${a?.total?hl(a.total):"Savings"}
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>Print</button>
      <//>
      ${a&&u`<${Ft} period=${je(r,I(),i)} />`}
      <${T} error=${l} title="No savings" />
      ${!a&&!l&&u`<${A} text="Loading the savings" />`}
      ${a&&u`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${a.total&&u`
            <${gl} total=${a.total} />
            <p class="soft small">${Rr(a.total)}</p>
          `}
          ${!a.total&&u`
            <p class="card empty">No request has ended in this period.</p>
          `}
          <${Lr} total=${a.total??Cr} />
          ${a.total&&u`
            <div class="row no-print">
              <${$e}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${Ir} entries=${a.groups} hasMore=${a.hasMore} by=${a.by} />
          `}
        </div>
      `}
    </div>
  `}function ml(e,t,s){let{range:n,from:o,to:r,by:i}=t;return L(async l=>{let d=Nt(je(t,I(),s),s),c=m=>O(F(e,"usage",{...d,...m}),{signal:l}),[f,p]=await Promise.all([c({}),De(async m=>{let{data:v,next:g}=await c({group_by:i,...m});return{part:v,next:g}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function hl(e){let{net:t}=z(e),s=qr(e);if(t<0)return`Spent ${y(-t)} more than was saved`;let n=s===null?"":`, ${C(s,1)} of what it would have cost`;return`Saved ${y(t)}${n}`}function gl({total:e}){let{net:t,unknown:s}=z(e);return u`
    <dl class="figure-grid card">
      <${P} label="Saved, net" value=${y(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${P}
        label="Cost"
        value=${X(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${P} label="Requests" value=${$(e.requests)} />
      <${P}
        label="Cached input"
        value=${C(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${E(e.input_tokens)} tokens`}
      />
    </dl>
  `}var ui={};ke(ui,{default:()=>ai});var jt=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],Oe=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Ht=3;function be(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(Oe.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(Ur.map(r=>[r,e?.[r]??""]))}}var Ur=["owner","team","note"];function Br(e){let t=Object.entries(Os(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function Kt(e,t){let s=Os(be(t));return Object.fromEntries(Object.entries(Os(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function Os(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=Oe.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,jr(e[n])])),budget:e.usd.trim()===""?null:vl(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(Ur.map(n=>[n,e[n].trim()||null]))}}function vl({usd:e,per:t,unknownPrices:s}){let n={usd:jr(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function jr(e){let t=Number(e);return Number.isFinite(t)?t:e}function Ke(e){return Oe.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function oe({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${y(e)} ${s}`}function Hr(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:a,owner:l}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${oe(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...l===null?[]:[`Hello ${l},`],`your key "${a}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function Kr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Wt({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=l=>d=>t({...e,[l]:d.target.value}),r=(l,d)=>u`
      <div class="field">
        <label for=${`key-${l}`}>${d}</label>
        <input
          id=${`key-${l}`}
          type="text"
          inputmode="numeric"
          autocomplete="off"
          placeholder="Default"
          value=${e[l]}
          onInput=${o(l)}
        />
      </div>
    `,[i]=k(()=>Oe.slice(Ht).some(([l])=>e[l]!=="")),a=(l,d,c=[])=>u`
      <div class="field">
        <label for=${`key-${l}`}>${d}</label>
        <input
          id=${`key-${l}`}
          type="text"
          maxlength="128"
          autocomplete="off"
          spellcheck=${l==="note"}
          list=${c.length>0?`key-${l}-known`:void 0}
          value=${e[l]}
          onInput=${o(l)}
        />
        ${c.length>0&&u`
          <datalist id=${`key-${l}-known`}>
            ${c.map(f=>u`<option key=${f} value=${f}></option>`)}
          </datalist>
        `}
      </div>
    `;return u`
    ${s&&u`
      <div class="field">
        <label for="key-name">Name</label>
        <input
          id="key-name"
          type="text"
          autofocus
          required
          maxlength="100"
          autocomplete="off"
          spellcheck=${!1}
          value=${e.name}
          aria-describedby="key-name-hint"
          onInput=${o("name")}
        />
        <p class="hint" id="key-name-hint">Shown in usage and logs. It cannot be changed later.</p>
      </div>
    `}
    <div class="two-fields">
      ${a("team","Team",n)}
      ${a("owner","Owner")}
    </div>
    ${a("note","Note")}
    <div class="field">
      <label for="key-models">Models</label>
      <textarea
        id="key-models"
        autofocus=${!s}
        class="code"
        rows="3"
        spellcheck=${!1}
        placeholder="All models"
        value=${e.models}
        aria-describedby="key-models-hint"
        onInput=${o("models")}
      ></textarea>
      <p class="hint" id="key-models-hint">
        One name per line, such as <code>gpt-*</code>. Without any, the key may use all models.
      </p>
    </div>
    <div class="three-fields">
      <div class="field">
        <label for="key-usd">Budget in US dollars</label>
        <input
          id="key-usd"
          type="text"
          inputmode="decimal"
          autocomplete="off"
          placeholder="None"
          value=${e.usd}
          onInput=${o("usd")}
        />
      </div>
      <div class="field">
        <label for="key-per">Budget per</label>
        <select id="key-per" value=${e.per} onChange=${o("per")}>
          ${jt.map(([l,d])=>u`<option key=${l} value=${l}>${d}</option>`)}
        </select>
      </div>
      <div class="field">
        <label for="key-expires">Expires on, UTC</label>
        <input id="key-expires" type="date" value=${e.expires} onInput=${o("expires")} />
      </div>
    </div>
    <fieldset>
      <legend>Limits</legend>
      <div class="three-fields">
        ${Oe.slice(0,Ht).map(([l,d])=>r(l,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${Oe.slice(Ht).map(([l,d])=>r(l,d))}
        </div>
      </details>
    </fieldset>
  `}function Te(e){let[t,s]=k({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function ye({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function Wr({entry:e,onChanged:t,onClose:s}){let[n,o]=k(()=>be(e)),{isBusy:r,error:i,start:a}=Te(async()=>{let l=Kt(n,e);Object.keys(l).length>0&&(await O(ye(e),{method:"PATCH",body:l}),t()),s()});return u`
    <${H} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${a}>
        <${Wt} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${i} title="Not changed" />
        <${Ts} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function Gr({entry:e,onChanged:t,onClose:s}){let[n,o]=k("1h"),[r,i]=k(void 0),{isBusy:a,error:l,start:d}=Te(async()=>{let c={overlap:n.trim()||"0s"};i(await O(`${ye(e)}/rotate`,{body:c})),t()});return r!==void 0?u`<${bl} entry=${r} onClose=${s} />`:u`
    <${H} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${d}>
        <p>The key gets a new value. Its name, settings and usage are unchanged.</p>
        <div class="field">
          <label for="rotate-overlap">The old value stays valid for</label>
          <input
            id="rotate-overlap"
            type="text"
            autofocus
            autocomplete="off"
            value=${n}
            aria-describedby="rotate-hint"
            onInput=${c=>o(c.target.value)}
          />
          <p class="hint" id="rotate-hint">
            Such as <code>30m</code> or <code>24h</code>; <code>0s</code> ends it at once.
          </p>
        </div>
        <${T} error=${l} title="Not rotated" />
        <${Ts} text="Rotate" isBusy=${a} onClose=${s} />
      </form>
      <//>
  `}function Xr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Te(async()=>{await O(ye(e),{method:"DELETE"}),t(),s()});return u`
    <${H} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${T} error=${o} title="Not revoked" />
        <${Ts} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function Ts({text:e,isBusy:t,onClose:s,tone:n=""}){return u`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function bl({entry:e,onClose:t}){return u`
    <${H} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${e.key}</code>
          <${te} text=${e.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${t}>I have copied it</button>
        </div>
      </div>
      <//>
  `}var Gt=.9,yl=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),wl=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function at({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Gt?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:a}=s,l=[i&&`renews ${Zr(i)}`,r!==null&&t>0&&`at this rate ${y(r)}${r>e?", more than the budget":""}`,a>0&&`${$(a)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:l}}function Xt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function Jt(e){return(Xt(e)??0)>=Gt}function Jr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.filter(Jt),n=t.filter(l=>(Xt(l)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:l})=>l!==null)?`No key is over ${100*Gt} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Gt} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,a=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${Zr(i)}`:""}.`;return{title:r,text:a,used:n.length===1?n[0]:void 0}}function Vr(e){let t=e.filter(({status:a})=>a!=="revoked"),s=t.flatMap(({usage:a})=>a?.budget??[]),n=(a,l)=>a.reduce((d,c)=>d+c[l],0),o=e.flatMap(({usage:a})=>a?.last_used??[]).sort(),r=Math.max(0,...e.map(({usage:a})=>a?.days.length??0)),i=Array.from({length:r},(a,l)=>{let d=e.flatMap(({usage:c})=>c?.days[l]??[]);return{requests:n(d,"requests"),cost_usd:n(d,"cost_usd")}});return{active:t.length,near:t.filter(Jt).length,days:i,lastUsed:o.at(-1),budget:n(s,"limit_usd"),spent:n(s,"spent_usd"),owners:[...new Set(e.flatMap(({owner:a})=>a??[]))].sort()}}function Zr(e){let t=new Date(e);return e.includes("T00:00:00")?yl.format(t):`${wl.format(t)} UTC`}function ut(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${y(t("cost_usd"))}`}function Vt({budget:e,spending:t}){if(!t)return u`${oe(e)}`;let{tone:s,notes:n,share:o}=at(t),{forecast_usd:r,limit_usd:i,spent_usd:a}=t,l=[`${y(a)} of ${oe(e)}`,...n].join(", "),d=r!==null&&r>i;return u`
    <span class="budget" title=${l}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${oe(e)}`}
        aria-valuenow=${Math.round(100*o)}
        aria-valuemin="0"
        aria-valuemax="100"
      >
        <span style=${{width:`${Math.min(100,100*o).toFixed(1)}%`}}></span>
        ${r!==null&&!d&&i>0&&u`
          <i style=${{left:`${(100*r/i).toFixed(1)}%`}}></i>
        `}
      </span>
      <span class="share">${o>=1&&t.is_used_up?"used up":`${Math.floor(100*o)} %`}${d&&o<1?" \u2197":""}</span>
      <span class="limit soft">of ${oe(e)}</span>
    </span>
  `}var Yr=new Map([["expired","warn"],["disabled","bad"]]);function lt({id:e}){return`#/keys/${encodeURIComponent(e)}`}function Cs(e){return`#/keys/team/${encodeURIComponent(e)}`}function qs({entry:e}){let{reason:t,status:s}=e,n=Kr(e,Date.now());return u`
    <span class=${Yr.has(s)?`badge ${Yr.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&u`
      <span class="small soft"> the old value is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var kl=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),_l=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low",text:e=>u`<a href=${Cs(e)}><${ie} text=${e} /></a>`},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Xt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&u`<${Vt} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:y},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:kl,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>Ke(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>u`<${qs} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?ze(e):u`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>u`<code>${e}…</code>`}];function We({source:e,status:t}){return e==="store"&&t!=="revoked"}function Zt({keys:e,marks:t,onAction:s}){return u`
    <${U} label="Keys" columns=${_l} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${lt} actionsOf=${o=>[{text:"Open",href:lt(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...We(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function zr({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:a})=>i+(a?.budget?.spent_usd??0),0),o=e.some(We),r=(i,a,l="")=>u`
      <button type="button" class=${`small ${l}`} disabled=${!o}
        onClick=${()=>t(i)}>${a}</button>
    `;return u`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${y(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var Qr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function ei({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(We),[r,i]=k({usd:"",per:"month",team:""}),[a,l]=k(0),d=v=>g=>i({...r,[v]:g.target.value}),{isBusy:c,error:f,start:p}=Te(async()=>{try{for(let[v,g]of o.slice(a).entries())await Sl(e,g,r),l(a+v+1)}finally{s()}n()}),m=t.length-o.length;return u`
    <${H} title=${`${Qr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:v})=>v).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
        ${m>0&&u`
          <p class="soft">${$(m)} of them ${m===1?"is":"are"} in config.yaml or
            revoked, and stay as they are.</p>
        `}
        ${e==="revoke"&&u`
          <p>Their requests are refused from now on. This cannot be undone.</p>
        `}
        ${e==="team"&&u`
          <div class="field">
            <label for="bulk-team">Team</label>
            <input id="bulk-team" type="text" maxlength="128" value=${r.team}
              onInput=${d("team")} />
          </div>
        `}
        ${e==="budget"&&u`<${xl} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(a)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(a)} of ${$(o.length)}`:Qr[e]}</button>
        </div>
      </form>
      <//>
  `}function xl({fields:e,set:t}){return u`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${jt.map(([s,n])=>u`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function Sl(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await O(ye(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=Kt({...be(t),...r},t);if(Object.keys(i).length!==0)return await O(ye(t),{method:"PATCH",body:i})}var Ol="The key is not shown again.",Tl="Your input is lost.";function ti({onCreated:e,teams:t}){let[s,n]=k(be),[o,r]=k(void 0),i=JSON.stringify(s)!==JSON.stringify(be()),{isBusy:a,error:l,start:d}=Te(async()=>{r(await O("/v1/admin/keys",{body:Br(s)})),e()});if(o!==void 0)return u`<${Cl} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return u`
    <${we} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&u`<${si} text=${Tl} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Wt} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${l} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${a}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function we({text:e}){return u`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function si({text:e}){let[t,s]=k(void 0),n=D(()=>{});return j(()=>{n.current=on(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:u`
    <${H} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Cl({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:a,team:l}=e,d=[["Team",l],["Owner",a],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":oe(e.budget)],["Limits",Ke(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=k(!1);return j(()=>{c&&(location.hash="#/keys")},[c]),u`
    ${!c&&u`<${si} text=${Ol} />`}
    <${we} text=${r} />
    <header class="view-head">
      <div class="view-title">
        <h1>Hand over “${r}”</h1>
        <p class="soft">
        The key works now. The gateway stores only a hash of it, so its text is shown here once and
        never again.
      </p>
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        <section class="stack" aria-label="The key">
          <h2>1. The key</h2>
          <div class="row key-text">
            <code class="wrap-anywhere" data-secret="key">${s}</code>
            <${te} text=${s} label="Copy key" class="primary" />
          </div>
        </section>
        <${ql} keyText=${s} />
        <${Al} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${ee} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This button closes the page; Back and links ask first.</p>
      </aside>
    </div>
  `}function ql({keyText:e}){let[t,s]=k(""),n=new URLSearchParams({os:ni(),origin:location.origin}),{data:o,error:r}=L(a=>O(`/v1/clients?${n}`,{key:e,signal:a}),[e]),i=o?.data.find(a=>a.id===t)??o?.data[0];return u`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${T} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&u`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${i!==void 0&&u`
        <label class="row">Client
          <select value=${i.id} onChange=${a=>s(a.target.value)}>
            ${o.data.map(a=>u`<option key=${a.id} value=${a.id}>${a.title}</option>`)}
          </select>
        </label>
        ${Ml(i,e).map(({title:a,text:l})=>u`
            <div key=${a} class="stack">
              <div class="row spread"><code>${a}</code>
                <${te} text=${l} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${a}>${l}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Ml({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:ni()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:a})=>({title:i,text:a})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function ni(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Al({entry:e}){let[t,s]=k(!1),n=Hr(e,{origin:location.origin,hasKey:t});return u`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${t} onChange=${()=>s(!t)} />
          with the key in it
        </label>
        <${te} text=${n} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${n}</pre>
    </section>
  `}function oi({id:e,version:t,onAction:s}){let{data:n,error:o}=L(c=>O(ye({id:e}),{signal:c}),[e,t]);if(!n)return u`
      <${we} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&u`<${A} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:a}=n,l=a?.days??[],d=c=>new URLSearchParams({[c]:i});return u`
    <${we} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${Rl(n)}</h1>
        <p class="soft"><${qs} entry=${n} />${a?.last_used?`, last used on ${a.last_used}`:a?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${We(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>u`
              <button type="button" key=${c} class=${c==="revoke"?"danger":""}
                onClick=${()=>s(c,n)}>${f}</button>
            `)}
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        ${r!==null&&u`
          <section class="card stack padded">
            <h2>Budget</h2>
            <${Vt} budget=${r} spending=${a?.budget} />
            <p class="soft">${a?.budget&&at(a.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${ut(l).replace(/^.*?: /,"")}</p>
          <${Ms} days=${l} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${ee} facts=${El(n)} class="key-facts" />
      </aside>
    </div>
  `}function Rl({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=at(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function Ms({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return u`
    <div class="day-bars" role="img" aria-label=${ut(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>u`
          <span key=${o} title=${`${$(n)} requests, ${y(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function El(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:a,prefix:l,source:d,team:c}=e;return[["Team",c&&u`<a href=${Cs(c)}>${c}</a>`],["Owner",a],["Note",i],["Begins with",l&&u`<code>${l}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",Ke(o).join(", ")||"default"],["Budget",t===null?"none":oe(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":ze(s)],["Expires",n===null?"never":ze(n)]].filter(([,f])=>f!=null)}function ri({name:e,keys:t,error:s,onAction:n}){if(!t)return u`
      <${we} text=${e} />
      <h1>Team</h1>
      <${T} error=${s} title="The team cannot be shown" />
      ${!s&&u`<${A} text="Loading the team" />`}
    `;let o=t.filter(({team:v})=>v===e),{active:r,budget:i,days:a,lastUsed:l,near:d,owners:c,spent:f}=Vr(o),p=new URLSearchParams({team:e}),m=[["Keys",$(r)],["Over 90 %",d>0&&`${$(d)} ${d===1?"key":"keys"}`],["Budgets",i>0&&`${y(f)} of ${y(i)} spent`],["Owners",c.length>0&&c.join(", ")],["Last used",l??"not in 30 days"]].filter(([,v])=>v);return u`
    <${we} text=${e} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${e}: ${$(r)} ${r===1?"key":"keys"}${d>0?`, ${$(d)} over 90 % of ${d===1?"its budget":"their budgets"}`:""}</h1>
        <p class="soft">${ut(a)}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/usage?${p}`}>Usage</a>
      </div>
    </header>
    <div class="hand-over">
      <section class="card stack padded">
        <h2>The last 30 days</h2>
        <${Ms} days=${a} />
      </section>
      <aside class="card stack padded">
        <h2>Team</h2>
        <${ee} facts=${m} class="key-facts" />
      </aside>
    </div>
    ${o.length===0?u`<div class="card empty">No key has this team.</div>`:u`<${Zt} keys=${o} onAction=${n} />`}
  `}function ai({route:e}){let{hasAdmin:t}=W();return u`
    <div class="view" data-view="keys">
      ${t?u`<${Il} path=${e.path} query=${e.query} />`:u`
        <${se} title="Keys" />
        <${pt} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var Nl={edit:Wr,rotate:Gr,revoke:Xr};function Il({path:[e,t],query:s}){let[n,o]=k(!1),[r,i]=k(null),[a,l]=k(0),d=L(v=>ft({revoked:n,usage:!0},v),[n,a]),c=()=>l(v=>v+1),f=(v,g)=>i({type:v,entry:g}),p=K(()=>Pl(d.data??[],"team"),[d.data]),m=r&&Nl[r.type];return u`
    ${e==="new"?u`<${ti} onCreated=${c} teams=${p} />`:t!==void 0?u`
        <${ri} name=${t} keys=${d.data} error=${d.error} onAction=${f} />
      `:e!==void 0?u`<${oi} id=${e} version=${a} onAction=${f} />`:u`
        <${Dl} ...${d} search=${s.get("search")??""} onAction=${f}
          onChanged=${c} showsRevoked=${n} onRevoked=${o} />
      `}
    ${r&&u`
      <${m} entry=${r.entry} onChanged=${c}
        onClose=${()=>i(null)} />
    `}
  `}function Pl(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var ii=[["all","All",()=>!0],["near","Over 90 %",Jt],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function Dl(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:a}=e,[l,d]=k(e.search),[c,f]=k("all"),[p,m]=k(()=>new Set),[v,g]=k(void 0),b=s?.code==="store_required",[,,h]=ii.find(([R])=>R===c),x=jl(l),w=K(()=>(t??[]).filter(R=>h(R)&&Bl(R,x)),[t,c,x]),S=e.search.startsWith("sk-")&&l===e.search&&w.length===1?lt(w[0]):void 0;j(()=>S&&location.replace(S),[S]);let M=w.filter(({id:R})=>p.has(R)),V={ids:p,onToggle:R=>m(new Set(p.has(R)?[...p].filter(re=>re!==R):[...p,R])),onAll:R=>m(new Set(R?w.map(({id:re})=>re):[]))};return u`
    <${Fl} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${R=>r(R.target.checked)} />
        Show revoked keys
      </label>
      ${b?null:u`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${pe} name="add" /> Create key
        </a>
      `}
    <//>
    ${b?u`
        <div class="card empty">
          <p>${s.message}</p>
        </div>
      `:u`<${T} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&u`<${A} text="Loading the keys" />`}
    ${t&&u`
      <div class="row">
        <${$e} label="Which keys" value=${c} onChange=${f}
          options=${ii.map(([R,re,ct])=>[R,`${re} ${$(t.filter(ct).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${l}
          onInput=${R=>d(R.target.value)} />
      </div>
      ${M.length>0&&u`
        <${zr} keys=${M} onAction=${g} onClear=${()=>m(new Set)} />
      `}
      ${w.length===0?u`<div class="card empty" role="status">${Ul(t,x)}</div>`:u`
          <div class=${n?"stale":""}>
            <${Zt} keys=${w} marks=${V} onAction=${i} />
          </div>
        `}
    `}
    ${v&&u`
      <${ei} kind=${v} keys=${M} onChanged=${a}
        onClose=${()=>g(void 0)} />
    `}
  `}function Fl({keys:e,children:t}){let{title:s,text:n,used:o}=e?Jr(e):{title:"Keys",text:""};return u`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&u`
          <a class="wrap-anywhere" href=${lt(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function Ul(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function Bl({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(a=>a?.toLowerCase().includes(i))}function jl(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{ui as keys,bn as overview,ao as requests,Fr as savings,vo as sessions,Ro as status,Tr as usage};
