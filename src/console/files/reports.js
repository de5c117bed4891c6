import{b as mt,f as Ys}from"./shared3.js";import{B as js,H as te,I as G,J as Ve,K as Hs,L as Ze,M as U,N as Jt,P as Vt,Q as Ws,R as Ks,S as Gs,T as Xs,U as Js,V as Vs,W as $t,Z as Zs,a as K,b as Gt,c as _e,d as Ds,e as N,f as F,g as ct,h as ee,i as dt,j as I,k as Ae,l as Xt,m as Ge,n as Ps,o as me,p as Fs,q as Xe,r as ie,s as Us,t as Je,u as ft,v as xe,w as q,x as pt,y as Bs}from"./shared2.js";import{$ as Es,A as Kt,D as T,E as re,F as Ts,G as Q,H as j,I as pe,J as ke,K as R,L as Cs,M as $,N as E,O as x,P as k,Q as qs,R as C,S as We,T as Ms,W as As,Y as Ke,_ as Rs,a as ye,aa as Ls,c as w,d as B,e as Ss,ea as H,f as P,g as W,ha as Ce,i as a,ia as Ns,j as D,ja as Z,ka as $e,la as z,pa as Is,qa as qe,ra as ut,sa as we,ta as lt,u as Os,v as O,wa as Me,y as fe}from"./shared1.js";var fn={};ye(fn,{default:()=>dn});function Qs(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,u]=t.get(n)??[0,0];t.set(n,[i+o,u+r])}return t}function zs({from:e,to:t},s,n){let o=Math.floor(s/n),r=o-288+1,i=Math.max(r,Math.floor(e/n)),u=Math.min(o,Math.ceil(t/n)-1);if(u<i)return{first:r,count:288,cellMs:n,isDay:!0,isNow:!0};let l=u-i+1;return{first:i,count:l,cellMs:n,isDay:l>=276,isNow:u===o}}function en(e,{cellMs:t,count:s,first:n}){return new Map([...e].filter(([o])=>{let r=o/t-n;return r>=0&&r<s}))}function Zt(e,{cellMs:t,count:s,first:n},o=1){let r=[],i=[];for(let u=0;u<s;u++){let[l,d]=e.get((n+u)*t)??[0,0];if(l===0&&i.push(`M${u} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/l/o),f=Math.round(Math.max(12,100*c));r.push(`M${u} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function tn(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function Yt(e,{cellMs:t,count:s,first:n}){let o=(e/t-n)/s;return o<0||o>1?void 0:100*o}var zr=[5,15,30,60,180,360];function sn({cellMs:e,count:t,first:s}){let[n,o]=[s*e,(s+t)*e],r=6e4*(zr.find(u=>(o-n)/(u*6e4)<=5)??360),i=[];for(let u=Math.ceil(n/r)*r;u<=o;u+=r)i.push(u);return i}var ei=6,ti=36e5;function rn({health:e,period:t,rangeName:s}){let{cell_ms:n,changes:o,reading:r,since:i,targets:u}=e,l=Date.parse(e.at),d=zs(t,l,n),c=g=>en(Qs(g.map(({cells:b})=>b)),d),f=c(u),p=d.isDay?"the last 24 hours":s,m=tn(f),y=Date.parse(i);return a`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, ${p}</h2>
        <span class="faint small">
          5 min a cell, this process${ri(y,l,r)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${nn}
          class="tall"
          label=${`All targets: ${on(f,p)}`}
          paths=${Zt(f,d,m)}
          count=${d.count}
          top=${m}
        >
          ${o.map(({kind:g,text:b,time:h},_)=>a`
              <${ni} key=${_} kind=${g} text=${`${b}, ${me(h,l)}`}
                at=${Yt(Date.parse(h),d)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${si(u).map(({name:g,own:b,worst:h})=>{let _=c(b),v=an(b.map(S=>S.recent));return a`
            <div class="strip-name" key=${g}>
              <a class="clip" href="#/status" title=${g}>${g}</a>
              <${Me} state=${h.state} isShort=${!0} />
            </div>
            <${nn} key=${`${g} strip`} label=${`${g}: ${on(_,p)}`}
              paths=${Zt(_,d)} count=${d.count} />
            <div class="strip-end small" key=${`${g} now`}>${v.attempts===0?"no traffic":`${C(v.failures,v.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${oi} window=${d} end=${l} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function si(e){return[...new Set(Ge(e).map(({provider:s})=>s))].slice(0,ei).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:Ge(n)[0]}})}function nn({children:e,class:t="",count:s,label:n,paths:{failed:o,quiet:r},top:i}){return a`
    <div class=${`strip ${t}`} role="img" aria-label=${n}>
      ${i!==void 0&&a`<span class="strip-top">${C(i,1)}</span>`}
      <svg viewBox=${`0 0 ${s} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${r} />
        <path d=${o} />
      </svg>
      ${e}
    </div>
  `}function ni({kind:e,text:t,at:s}){return s===void 0?null:a`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function oi({window:e,end:t}){return a`
    <div class="strip-axis small faint" aria-hidden="true">
      ${sn(e).map(s=>{let n=Yt(s,e);return n!==void 0&&n>3&&n<88&&a`
          <span key=${s} style=${{left:`${n}%`}}>${me(new Date(s).toISOString(),t).slice(-5)}</span>
        `})}
      ${e.isNow&&a`<span class="now">now</span>`}
    </div>
  `}function ri(e,t,s){return s?"; the ledger is still being read":t-e<23*ti?`, begins at ${me(new Date(e).toISOString(),t)}`:", from the ledger"}function on(e,t){let{attempts:s,failures:n}=an([...e.values()].map(([o,r])=>({attempts:o,failures:r})));return`${n} of ${s} attempts failed, ${t}`}function an(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var ii=5e3,ai=6e4,ln=6e5,cn=5;function dn({route:e}){let{hasAdmin:t}=K();return t?a`<${ui} choice=${qe(e.query,"24h")} />`:a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${dt} what="The overview is about all keys: it needs an admin key." />
      </div>
    `}function un(e,t,s=[]){let n=N(e,s);return _e(n.reload,t),n}function ui({choice:e}){let{data:t,error:s}=un(m=>O("/v1/admin/health",{signal:m}),ii),n=H(),{range:o,from:r,to:i}=e,u=[o,r,i,n],{data:l}=un(async m=>({...await ci(we(e,D(),n),m),name:u.join()}),ai,u),d=l?.name===u.join()?l:void 0;if(t===void 0)return a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${s?a`<${T} error=${s} title="No health" />`:a`<${R} text="Reading the health of targets" />`}
      </div>
    `;let{text:c,title:f}=Ps(t),p=li(lt(e,n));return a`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${f}</h1>
        <p class="soft">${c}</p>
      </header>
      <${di} ...${{health:t,figures:d,rangeName:p}} />
      <${rn}
        ...${{health:t,rangeName:p}}
        period=${we(e,Date.parse(t.at),n)}
      />
      <div class="two">
        <${fi} health=${t} />
        <${$i} ...${{choice:e,figures:d,rangeName:p}} />
      </div>
    </div>
  `}function li(e){return e.startsWith("Last ")?`the l${e.slice(1)}`:e.replace("This","this")}async function ci({from:e,to:t,isOpen:s},n){let o=new Date(D()-ln).toISOString(),r={from:new Date(e).toISOString(),...!s&&{to:new Date(t).toISOString()}},i=c=>O(`/v1/admin/usage?${new URLSearchParams({...r,...c})}`,{signal:n}),[u,l,d]=await Promise.all([O(`/v1/admin/request_counts?${new URLSearchParams({from:o})}`,{signal:n}),i({group_by:"key,model",limit:"1000"}),i({})]);return{counts:u.data,keys:l.data,total:d.data[0]}}function di({health:e,figures:t,rangeName:s}){let n=t?.counts.reduce((i,{requests:u,errors:l})=>({requests:i.requests+u,errors:i.errors+l}),{requests:0,errors:0}),o=e.targets.filter(({recent:i})=>i.attempts>0).toSorted((i,u)=>u.recent.attempts-i.recent.attempts)[0],r=n!==void 0&&n.requests>0&&n.errors/n.requests>=.05;return a`
    <dl class="overview-figures">
      <${ht}
        label="Requests per minute"
        value=${n&&We(n.requests/(ln/6e4))}
        note="mean of the last 10 min"
      />
      <${ht}
        label="Failed requests, last 10 min"
        value=${n&&C(n.errors,n.requests)}
        note=${n&&`${$(n.errors)} of ${$(n.requests)}`}
        isBad=${r}
        href="#/requests?range=15m&status=error"
      />
      <${ht}
        label="Time to first content"
        value=${o?.first_content_ms==null?"\u2013":x(o.first_content_ms)}
        note=${o?.first_content_ms==null?"no answer in the last 10 min":`${o.provider}, usually ${x(o.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${ht}
        label=${`Spent, ${s}`}
        value=${t&&k(t.total?.cost_usd??0)}
        note=${t&&`${$(t.total?.requests??0)} requests, ${H()}`}
        href="#/requests?range=24h&sort=cost_usd"
      />
    </dl>
  `}function ht({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return a`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:a`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function fi({health:e}){let t=Date.parse(e.at),s=Ge(e.targets);return a`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${Ls(e.thresholds)}>
          by the last 10 min
        </span>
        <a class="small" href="#/status">Providers</a>
      </div>
      ${s.length===0?a`<p class="soft">Nothing: no target is failing, degraded, slow or silent.</p>`:a`
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
              ${s.slice(0,cn).map(n=>{let{last_failure:o,provider:r,since:i,state:u,upstream:l}=n;return a`
                  <tr role="row" key=${`${r} ${l}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${l}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${l}</span>
                    </th>
                    <td role="cell">
                      <${Me} state=${u} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":me(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?Ke(n,t):a`
                        <a
                          href=${pi(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${Ke(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function pi({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function $i({choice:e,figures:t,rangeName:s}){let n=mi(t?.keys??[]),o=t?.total?.cost_usd??0,r=new URLSearchParams({by:"key",show:"cost"});return ut(r,e),a`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive</h2>
        <span class="faint small">${s}</span>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href=${`#/usage?${r}`}>Usage</a>
      </div>
      ${n.length===0?a`<p class="soft">${t?"Nothing has been spent.":"\u2026"}</p>`:a`
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
              ${n.map(({cost:i,key:u,model:l})=>a`
                  <tr key=${u}>
                    <th scope="row"><span class="clip" title=${u}>${u}</span></th>
                    <td><span class="clip soft" title=${l}>${l}</span></td>
                    <td class="number" title=${`$${i}`}>${qs(i,n[0].cost)}</td>
                    <td class="number">${C(i,o)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function mi(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,cn)}var Qn={};ye(Qn,{default:()=>Yn});function pn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function gt(e,t){Fs(e,t,"text/csv")}function bt(e){let{label:t,words:s,current:n,placeholder:o,offered:r,onAdd:i,onRemove:u,onType:l,clear:d}=e,[c,f]=w(""),[p,m]=w(""),y=P(null);B(()=>{f(""),m("")},[n]);let g=h=>{h.preventDefault();let _=i(c)??"";m(_),_===""&&f("")},b=h=>{let _=s.at(-1);h.key==="Backspace"&&c===""&&_!==void 0?u(_.filter):h.key==="Escape"&&y.current.blur()};return a`
    <form class="filter-bar" role="search" aria-label=${t} onSubmit=${g}>
      <div class="filter-line">
        <${fe} name="search" />
        ${s.map(h=>a`<${hi} key=${h.filter} word=${h} onRemove=${()=>u(h.filter)} />`)}
        <input
          ref=${y}
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
          ${r(c).map(h=>a`<option key=${h} value=${h} />`)}
        </datalist>
        ${d!==void 0&&a`<a class="button quiet" href=${d}>Clear</a>`}
      </div>
      <p class="fault" id="filter-fault" role="status">${p}</p>
      ${e.children}
    </form>
  `}function hi({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return a`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${fe} name="close" size=${10} />
      </button>
    </span>
  `}function vt(e,t){let[,s,n]=/^(.*?)(\S*)$/s.exec(e);return t.filter(o=>o.startsWith(n)).map(o=>s+o)}function Re(e){let[,t="",s=""]=/(?:^|\s)([a-z_]+):(\S*)$/.exec(e)??[];return{name:t,part:s}}var gi=30*864e5,bi=1e3;function Ee(e){let[t,s]=w({}),n=P(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let u={from:new Date(Date.now()-gi).toISOString(),group_by:r,limit:String(bi)};try{let{data:l}=await O(F(e,"usage",u)),d=l.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var he=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),vi=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),yi=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),ki=new Set(["key","model","provider","tag","end_user"]),wi=/^\d{1,15}(\.\d{1,9})?$/,_i=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function xi(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*_i.get(n.toLowerCase())))}function $n(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=Si(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function Si(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return Oi(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=vi.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return Ti(e,r.toLowerCase());if(i==="path")return Ci(e,r.toLowerCase());e[i]=ki.has(i)?qi(r,s(i)):r}}function Oi(e,t,s){let n=yi.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!wi.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=xi(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function Ti(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function Ci(e,t){if(!he.has(t))return`A path is ${[...he.keys()].join(", ")}`;e.path=t}function qi(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function mn(e){return Xe.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var Mi=["key","model","provider","tag","end_user"],Ai=["status:error","status:ok","status:429","cost>","ms>","session:"],Ri=200;function hn({filters:e,rows:t=[],session:s,opened:n,time:o}){let r=Ee(s),i=f=>location.hash=q(f,n,o),u=Mi.filter(f=>f!=="key"||s.hasAdmin),l=f=>[...new Set([...Ni(t,f),...r.of(f)])],d=f=>{let p=$n(f,e,l);return p.fault===void 0&&i(p.filters),p.fault},c=q({...xe(e),sort:e.sort,order:e.order},n,o);return a`
    <${bt}
      label="Filter the requests"
      words=${mn(e)}
      current=${q(e,n,o)}
      placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
      offered=${f=>Li(f,u,l)}
      onAdd=${d}
      onRemove=${f=>i({...e,[f]:""})}
      onType=${f=>{let p=gn(Re(f).name);u.includes(p)&&r.load(p)}}
      clear=${Je(e)?c:void 0}
    >
      <${Ei} filters=${e} onChange=${i} />
      <//>
  `}function gn(e){return e==="user"?"end_user":e}function Ei({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...he].map(([n,o])=>["path",n,o])];return a`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return a`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&a`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function Li(e,t,s){let{name:n,part:o}=Re(e),r=gn(n);if(t.includes(r)){let i=s(r).filter(l=>l.includes(o)).sort(),u=e.slice(0,e.length-o.length);return i.slice(0,Ri).map(l=>u+(/\s/.test(l)?`"${l}"`:l))}return vt(e,[...Ai,...t.map(i=>`${i==="end_user"?"user":i}:`)])}function Ni(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var Se=[{id:"searches",title:"Searches",text:$},{id:"images",title:"Images",text:$},{id:"characters",title:"Characters spoken",text:$},{id:"seconds",title:"Audio",text:Ii}];function yt(e){return Se.filter(({id:t})=>e.some(s=>s?.[t]>0))}function Ii(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${$(Math.floor(t/60))} min ${t%60} s`}var bn="abandoned";function Qt({error:e,status:t}){return e!==bn&&((e??null)!==null||t>=400)}function Di({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function vn(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${x(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let u=e.saved_usd>0?`, which saved ${k(e.saved_usd)}`:"";return`${i}Answered by the cache${u}.`}return r===499?`${i}The client stopped after ${x(e.ms)}.`:s!==null?i+Pi(e):i+Fi(e)}function Pi({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was asked: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${yn(o)}: ${n}.`}function Fi(e){let{attempts:t=[]}=e,s=Di(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let l=t.find(d=>d!==s&&!Qt(d))?.provider??"the first target";return s.hedge?`${l} was slow; the hedge at ${n} won after ${x(o)}.`:`${n} answered after ${x(o)}; the hedge at ${l} was not used.`}let r=t.filter(Qt);if(r.length===0)return`Answered by ${n} after ${x(o)}.`;let i=[...new Set(r.map(u=>u.provider))];return i.every(u=>u===n)?`${n} answered after ${x(o)}, at attempt ${t.length}.`:`${yn(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${x(o)}.`}function yn(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function kn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===bn?"unused":Qt(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,u)=>i.start-u.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var Ui=1e6,Bi=e=>Se.find(({id:t})=>t===e)?.title??e,ji=1e-9;function wn(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(l,d,c)=>({name:l,amount:d,price:c,usd:d*c/Ui}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...Object.entries(t.units??{}).map(([l,d])=>({name:Bi(l),amount:e[l]??0,price:d,unit:l,usd:(e[l]??0)*d}))].filter(({amount:l})=>l>0),u=(e.cost_usd??0)-i.reduce((l,{usd:d})=>l+d,0);return e.cost_usd!=null&&Math.abs(u)>ji&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:u}),i}function _n(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&Hi(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&x(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&k(e.saved_usd)],["Hedge",e.hedged&&`cost ${k(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&k(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"],["Agent",e.agent],["Started by agent",e.parent_agent]].filter(([,s])=>s)}function Hi(e){return e>0?`saved ${k(e)}`:"yes"}function xn({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":k(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var kt=499;function Tn({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},u=({id:c,isRising:f})=>r(c==="time"&&!f?{sort:"",order:""}:{sort:c,order:f?"asc":""}),l=W(()=>Ki(n),[n,H()]),d=e.find(({id:c})=>c===s);return a`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${U}
      label="Requests"
      columns=${l}
      rows=${e}
      idOf=${Sn}
      hrefOf=${c=>q(t,c.id,c.time)}
      actionsOf=${c=>Wi(c,t)}
      order=${i}
      onOrder=${u}
      current=${d&&Sn(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=q(t)}
    />
  `}function Sn({id:e,time:t}){return`${t} ${e}`}function Wi(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:q({...xe(t),[n]:e[n]})}];return[{text:"Open",href:q(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function Ki(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:Gi},{id:"status",title:"Status",card:"b",of:({status:t})=>t,cell:t=>a`<${Ye} row=${t} />`},zt("model","Model",{card:"a"}),zt("provider","Provider",{panel:"hide"}),...e?[zt("key","Key",{panel:"hide"})]:[],{id:"path",title:"Path",panel:"low",isRisingFirst:!0,of:({path:t})=>t[0],cell:Xi},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:x},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:x},On("input_tokens","In"),On("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:Ji}]}function On(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>es(s)?s[e]:void 0,cell:s=>Vi(s[e],es(s),s.usage_source==="estimated")}}function es({usage_source:e}){return e!=="none"}function Gi(e){let t=e.path.map(s=>`, ${s}`).join("");return a`
    <span title=${`${G(e.time)}, ${e.id}`}>${te(e.time)}</span>
    <span class="phone-only">, ${x(e.ms)}${t}</span>
  `}function zt(e,t,s){return{id:e,title:t,isRisingFirst:!0,of:n=>n[e],...s,text:n=>a`<${ke} text=${n} />`}}function Xi({path:e}){return e.map(t=>a`<span key=${t} class="badge">${he.get(t)}</span>`)}function Ji(e){return e.cost_usd==null?es(e)?a`<span class="faint">unknown</span>`:"\u2013":a`<span title=${`$${e.cost_usd}`}>${k(e.cost_usd)}</span>`}function Ye({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==kt&&(n>=400||s!=null),r=n===kt?"stopped":o?"failed":"ok",i=n===kt?"Stopped by the client":s??void 0;return a`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===kt&&a`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&a`<span class="error-code small"> ${s}</span>`}
  `}function Vi(e,t,s){return t?s?a`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var Cn=.8,Zi=.1;function qn({row:e}){let t=kn(e),s=Math.max(Zi,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return a`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?a`
              <${ts}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${Mn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:a`
              <${Yi} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${ts}
          title="Whole request"
          text=${x(e.ms)}
          start=${0}
          length=${e.ms}
          total=${s}
          tone="whole"
          mark=${e.first_token_ms}
        />
      </ol>
      <div class="scale faint small mono" aria-hidden="true">
        <span>0</span><span>${x(s/2)}</span><span>${x(s)}</span>
      </div>
      ${n.length===0&&e.response_cache!=="hit"&&a`
        <p class="hint">No provider was asked.</p>
      `}
    </section>
  `}function Yi({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:u}=e,{provider:l,model:d,status:c,error:f,vendor_text:p}=n,m=xn(n);return a`
    <${ts}
      title=${a`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${l}</span>
        ${o==="hedge"&&a`<span class="soft">, the hedge</span>`}
      `}
      text=${Mn(e)}
      start=${i}
      length=${r}
      total=${s}
      tone=${u}
    >
      <p class="row outcome">
        ${u==="unused"?a`<span class="badge">not used</span>`:a`
          <span class=${`badge ${u}`}>${c??"\u2013"}</span>
          ${f?a`<span class="error-code">${f}</span>`:"answered"}
        `}
        ${ea(n).map(y=>a`<span key=${y} class="soft wrap-anywhere">${y}</span>`)}
        ${m!==""&&a`<span class="faint">${m}</span>`}
      </p>
      ${p&&a`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function Mn({length:e,start:t}){return t<1?x(e):`${x(e)}, after ${x(t)}`}var Qi=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),zi=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function ea({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:u})=>u===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${u}`),n&&(zi.get(n)??n),o!=null&&!r&&`asked to wait ${x(o)}`,r?`then again after ${x(o)}`:Qi.get(s)].filter(i=>i)}function ts({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:u}){let l=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(Cn,100*n/o);return a`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:l(Math.min(s,o*(1-Cn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&a`<span class="mark" style=${{left:l(i)}}></span>`}
      </div>
      ${u}
    </li>
  `}function En({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},u=F(s,`requests/${encodeURIComponent(e)}`,i),{data:l,error:d}=N(f=>O(u,{signal:f}),[u]),c=P(null);return B(()=>c.current.focus(),[]),a`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${An} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${An} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${q(n)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${fe} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${e}</code>
          <${Q} text=${e} label="Copy ID" />
        </p>
        <${T} error=${d} title="The request cannot be shown" />
        ${!l&&!d&&a`<${R} />`}
        ${l&&a`
          <p class="said">${vn(l)}</p>
          <${ta} row=${l} filters=${n} />
          <${qn} row=${l} />
          <${sa} row=${l} />
          <${oa} row=${l} />
          <${aa} row=${l} filters=${n} />
          ${s.hasService&&l.model!==null&&ia(l)&&a`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:l.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function ta({row:e,filters:t}){return e.path.length===0?null:a`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>a`<a key=${s} class="badge" href=${q({...xe(t),path:s})}>${he.get(s)}</a>`)}
    </p>
  `}function sa({row:e}){let t=wn(e);return t.length===0?null:a`
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
          ${t.map(({amount:s,name:n,price:o,unit:r,usd:i})=>a`
              <tr key=${n}>
                <th scope="row">${n}</th>
                <td class="number">${s===null?"\u2013":na(s,r)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${Ms(o)} per M`:js(r,o)}
                </td>
                <td class="number" title=${`$${i}`}>${k(i)}</td>
              </tr>
            `)}
          <tr>
            <th scope="row">Total</th>
            <td></td>
            <td></td>
            <td class="number"><strong>${e.cost_usd==null?"unknown":k(e.cost_usd)}</strong></td>
          </tr>
        </tbody>
        <//>
        </section>
  `}function na(e,t){return Se.find(({id:s})=>s===t)?.text(e)??$(e)}function oa({row:e}){let t=_n(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="route-title">
      <h3 id="route-title">Route</h3>
      <${re} class="request-facts" facts=${t} />
    </section>
  `}function An({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:a`
    <a class="button quiet icon" href=${q(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${fe} name=${s} />
    </a>
  `}var ra=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function ia({format:e}){return ra.has(e)}function aa({row:e,filters:t}){let s=e.usage_source!=="none",n=(r,i)=>a`
      <${ua} key=${i} name=${r} value=${i} filters=${t} />
    `,o=[["Ended",G(e.time)],["Status",a`<${Ye} isLong=${!0} row=${e} />`],["Model",n("model",e.model)],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&a`<code class="wrap-anywhere">${e.upstream}</code>`],["Key",n("key",e.key)],["Tags",e.tags?.length>0&&e.tags.map(r=>n("tag",r))],["End user",e.end_user&&n("end_user",e.end_user)],["Session",e.session&&n("session",e.session)],["API",e.format],["Input",s&&Rn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&Rn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...yt([e]).map(({id:r,title:i,text:u})=>[i,u(e[r])]),["Usage",la.get(e.usage_source)??e.usage_source],["Cost",s&&a`<${Xt} value=${e.cost_usd} format=${k} />`],["First token",e.first_token_ms!=null&&x(e.first_token_ms)],["Duration",x(e.ms)]];return a`
    <${re} class="request-facts" facts=${o.filter(([,r])=>r)} />
  `}function ua({name:e,value:t,filters:s}){if(t===null)return a`<${Xt} value=${t} />`;let n=q({...xe(s),[e]:t});return a`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var la=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function Rn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function Le(e){let[t,s]=w(0);return Ss(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function Ln(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let u=r;u<Date.parse(s);u+=o)i.push({start:u,end:u+o,requests:0,errors:0});for(let{start:u,requests:l,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(u)-r)/o)];c!==void 0&&(c.requests+=l,c.errors+=d)}return i}function Nn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=Qe(e),u=t.length-1;if(i-o<0||r-o>u)return null;let l=d=>Math.min(u,Math.max(0,d-o));return{anchor:l(e.anchor),focus:l(e.focus)}}function Qe({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function In(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let u=i[t];return{anchor:s&&e!==null?e.anchor:u,focus:u}}function Dn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Pn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function Fn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Ne=64,ca=366*864e5;function Bn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=w(null),i=Nn(o,e),[{start:u,end:l}]=e,d=b=>r(b&&{...b,first:u,step:l-u}),c=i===null?e:fa(e,i),f={from:u,to:e.at(-1).end},p=b=>{let[h,_]=Qe(b);d(null),n(e[h].start,e[_].end)},m=()=>{let{from:b,to:h}=Dn(f,D());n(b,h)},y=Pn(e.reduce((b,{requests:h})=>Math.max(b,h),0)),g=s&&f.to-f.from<ca/3;return a`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${pa(c,i===null,t)}</b> <span class="faint small">${Hs(e[0].end-u)} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${i!==null&&a`
            <button type="button" class="small" onClick=${()=>p(i)}>
              Show only this
            </button>
          `}
          ${g&&a`
            <button type="button" class="small quiet" onClick=${m}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${y.map(b=>a`<span key=${b}>${E(b)}</span>`)}
      </div>
        <${da}
          axis=${y}
          intervals=${e}
          selection=${i}
          onSelect=${d}
          onZoom=${p}
          onWiden=${g?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${Ve(f.from)}</span>
          <span>${Ve(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function da({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=P(null),u=Le(i),l=P(null),d=u/t.length,[c]=e,[f,p]=s===null?[-1,-2]:Qe(s),m=v=>{let S=v.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(S/d)))};return a`
    <div
      class="histogram-bars"
      ref=${i}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${v=>{if(v.button!==0)return;i.current.setPointerCapture(v.pointerId);let S=m(v);l.current={anchor:S,focus:S},n(l.current)}}
      onPointerMove=${v=>{l.current!==null&&(l.current={...l.current,focus:m(v)},n(l.current))}}
      onPointerUp=${()=>{let v=l.current;l.current=null,v!==null&&v.anchor!==v.focus&&o(v)}}
      onPointerCancel=${()=>{l.current=null,n(null)}}
      onKeyDown=${v=>{if(v.ctrlKey||v.metaKey||v.altKey)return;let S=In(s,v,t.length);if(S!==void 0)n(S);else if(v.key==="Enter"&&s!==null)o(s);else if(v.key==="Escape"&&s!==null)n(null);else if(v.key==="-"&&r!==void 0)r();else return;v.preventDefault(),v.stopPropagation()}}
    >
      <svg width=${u} height=${Ne} aria-hidden="true">
        ${f>=0&&a`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Ne} />
        `}
        ${e.slice(0,-1).map((v,S)=>a`
            <line key=${v} class="grid-line" x1="0" x2=${u}
              y1=${Ne*S/(e.length-1)+.5}
              y2=${Ne*S/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${Un(t,c,d,!1)} />
        <path class="errors" d=${Un(t,c,d,!0)} />
      </svg>
    </div>
  `}function Un(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:u,others:l}=Fn(r,t,Ne),d=n?u:l;if(d===0)return"";let c=Ne-u-(n?0:l);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function fa(e,t){let[s,n]=Qe(t);return e.slice(s,n+1)}function pa(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],i=o===1?"request":"requests",u=[`${s?"":"\u2265 "}${$(o)} ${i}`,`${$(r)} failed`];if(t)return u.join(", ");let[l,d]=[e[0].start,e.at(-1).end];return`${u.join(", ")} from ${Ve(l)} to ${Ve(d)}`}var Ie={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function ss({data:e,next:t}){return{...Ie,isLoading:!1,rows:e,next:t}}function ns(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function Wn(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Hn)),n=t.data.filter(i=>!s.has(Hn(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return ss(t);let r=[...n,...e.rows].sort((i,u)=>i.time<u.time?1:i.time>u.time?-1:0);return{...e,rows:r,moreError:void 0}}function Kn(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,u=(d,c)=>{let[f,p]=[jn(d,n),jn(c,n)];return f===p?0:i*(f<p?-1:1)},l=[...e.rows??[],...t].sort(u).slice(0,r);return{...Ie,isLoading:!1,isSorting:s!==null,rows:l}}var $a=["cache","hedge","fallback","retry","queued","sticky"];function jn(e,t){if(t==="path")return $a.indexOf(e.path[0]);let s=e[t];return typeof s=="string"?s.replace(/[A-Z]+/g,n=>n.toLowerCase()):s}function Hn({id:e,time:t}){return`${t} ${e}`}var wt=50,ze=200,ma=2e3,ha=1e4,ga=30,ba=30,Gn=50,Xn=1e3,_t=Gn*Xn;function Jn(e,t,s){let[n,o]=w(0),[r,i]=w(Ie),u=`${q(t)} ${H()}`,l=[e.hasAdmin,u,n],d=Ds(l),c=P(void 0);B(()=>{let g=new AbortController;c.current=pt(t,D(),H()),c.current.set("limit",String(wt)),i(_=>({..._,isLoading:!0}));let{signal:b}=g;return(t.sort===""?va(e,c.current,b,i):ya(e,t,c.current,b,i)).then(_=>b.aborted||i(_),_=>b.aborted||i(({rows:v})=>({...Ie,..._.isPassing&&{rows:v},isLoading:!1,error:_}))),()=>g.abort()},l);let f=P(new AbortController);B(()=>{let g=new AbortController;return f.current=g,()=>g.abort()},[...l,s]),_e(async()=>{let{signal:g}=f.current;try{let b=await et(e,c.current,void 0,g);g.aborted||i(h=>Wn(h,b))}catch(b){g.aborted||i(h=>({...h,moreError:b}))}},ma,s);let m=async()=>{let g=c.current;i(b=>({...b,isLoadingMore:!0,moreError:void 0}));try{let b=0,{next:h}=r;for(;b<wt&&h!==null&&c.current===g;){let _=await et(e,g,h);if(c.current!==g)return;b+=_.data.length,{next:h}=_;let v=b>=wt||h===null;i(S=>({...ns(S,_),isLoadingMore:!v}))}}catch(b){if(c.current!==g)return;i(h=>({...h,isLoadingMore:!1,moreError:b}))}},y=()=>o(g=>g+1);return Gt(r.error,y),{...r,isLoading:r.isLoading||d,loadMore:m,reload:y}}async function va(e,t,s,n){let o=ss(await et(e,t,void 0,s));for(;o.rows.length<wt&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=ns(o,await et(e,t,o.next,s));return o}async function ya(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(ze)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=Ie,u;for(let l=0;u!==null&&l<ba;l++){let d=await et(e,r,u,n);i=Kn(i,d,t,ze),n.aborted||o(i),u=d.next}return i}function et(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),O(F(e,"requests",o),n&&{signal:n})}function Vn(e,t,s){let[n,o]=w({pages:void 0,isComplete:!1,error:void 0}),[r,i]=w(0),u=`${q(t)} ${H()}`;B(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=D(),m=pt(t,p,H());m.has("to")||m.set("to",new Date(p).toISOString());let y=[];for(let g="";g!==null&&y.length<ga;){g!==""&&m.set("before",g);let b=await O(F(e,"request_counts",m),{signal:c});if(c.aborted)return;y.push(b),{next:g}=b,o({pages:[...y],isComplete:g===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,u,r]);let l=()=>i(d=>d+1);return _e(l,ha,s),Gt(n.error,l),{...n,recount:l}}async function Zn(e,t){let s=pt(t,D(),H());s.set("format","csv"),s.set("limit",String(Xn));let n=[],o;do{o&&s.set("before",o);let r=await Os(F(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<Gn);return{text:pn(n),hasMore:o!==null}}function Yn({route:e}){let t=K(),s=Us(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=Bs(s,D(),H()),i=s.range==="custom",[u,l]=w(!1),d=r&&s.sort==="",c=u&&d,f=Jn(t,s,c),p=Vn(t,s,c),m=g=>location.hash=q(g,n,o),y=()=>{f.reload(),p.recount()};return a`
    <div class="view wide-view" data-view="requests">
      <${ee}
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
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${y}
          disabled=${f.isLoading}>Refresh</button>
        <${xa} session=${t} filters=${s} counts=${p} />
      <//>
      <${hn}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&a`
        <${Bn}
          intervals=${Ln(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(g,b)=>m(ft(s,g,b))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${ka}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${g=>m({...s,...g})}
          />
        </div>
        ${n&&a`
          <${En}
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
  `}function ka({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:u,isLoading:l,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:a`<${R} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!l?a`<${_a} filters=${t} />`:a`
    <div class=${`stack ${l?"stale":""}`}>
      <${Tn} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${l?"":wa(t,e)} />
    </div>
    <${T} error=${u} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&a`
        <button type="button" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":Je(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function wa({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=["cost_usd","first_token_ms","path","model","provider"].includes(e)?" Requests without this value are left out.":"";return t.length<ze?`All requests of this time and these filters.${n}`:`The first ${ze} in this order, of all requests of this time and these filters.${n}`}function _a({filters:e}){let t={...e,range:"90d",from:"",to:""};return a`
    <div class="card empty stack">
      <p>
        ${Je(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&a`
        <p><a class="button" href=${q(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function xa({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=w({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await Zn(e,t);gt("requests.csv",c);let p=f&&new Error("The file has only the newest: choose a shorter time");r({error:p})}catch(c){r({error:c})}},u=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),l=u>_t,d=l?`newest ${$(_t)} rows`:`${$(u)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(_t)} requests`}
    >${s||l?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var uo={};ye(uo,{default:()=>io});async function De(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}function zn(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function eo(e){let t=l=>e.reduce((d,c)=>d+(c[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens"),u=e.length===1?"request":"requests";return{title:`${$(e.length)} ${u} in ${Es(o)}; ${r}, ${Sa(e)}`,text:i===0?"No input tokens are known.":`${C(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function Sa(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${k(s)}`}var xt=["key","team","owner","model","provider"],St=new Map([["cost","cost_usd"],["moves","affinity_moves"],["requests","requests"],["failed","errors"]]),Ot=["id",...xt,...St.keys()],os=[...xt.map(e=>`${e}:`),"cost>1","moves>0","failed>0"];function to(e){return{...Object.fromEntries(Ot.map(t=>[t,e.get(t)??""])),...qe(e)}}function ae(e,t){let s=new URLSearchParams;for(let o of[...Ot,...Is]){let r=o==="range"&&e.range==="custom";e[o]&&!r&&s.set(o,e[o])}return`${t===void 0?"#/sessions":`#/sessions/${encodeURIComponent(t)}`}?${s}`}function so(e){return{...e,...Object.fromEntries(Ot.map(t=>[t,""]))}}function Tt(e){return Ot.filter(t=>e[t]!=="").map(t=>({filter:t,name:t,value:e[t],sign:St.has(t)?">":":"}))}function no(e,t){let s={...t};for(let[n]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let o=n.replaceAll('"',""),[,r="",i="",u=""]=/^([a-z]+)([:>])(.*)$/i.exec(o)??[];if(i===">"&&St.has(r)){if(!/^\d{1,9}(\.\d{1,9})?$/.test(u))return{fault:`'${r}>' needs a number`};s[r]=u}else if(i===":"&&xt.includes(r)){if(u==="")return{fault:`'${r}:' needs a value`};s[r]=u}else s.id=i===":"&&r==="id"?u:o}return{filters:s}}function oo(e){return Object.fromEntries(xt.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function ro(e,t){let s=new Map;for(let r of e){if(r.session===null)continue;let i=s.get(r.session)??{session:r.session,last:""};for(let[u,l]of Object.entries(r))typeof l=="number"&&(i[u]=(i[u]??0)+l);r.hour>i.last&&(i.last=r.hour),s.set(r.session,i)}let n=t.id.toLowerCase(),o=[...St].filter(([r])=>t[r]!=="");return[...s.values()].filter(r=>r.session.toLowerCase().includes(n)&&o.every(([i,u])=>(r[u]??0)>Number(t[i])))}var Oa=200,Ta=5;function io({route:e}){let t=K(),s=e.path[0],n=H(),o=to(e.query),r=oo(o),i=[t.hasAdmin,o.range,o.from,o.to,n],u=W(()=>Ca(o,n),i),{data:l,error:d,isLoading:c}=N(f=>qa(t,{...u,...r},f),[...i,JSON.stringify(r)]);return a`
    <div class="view" data-view="sessions">
      <${ee}
        title="Sessions"
        note="Requests that clients have put together by a session ID, such as those of one agent."
      />
      <${Ma} filters=${o} session=${t} opened=${s} />
      <${T} error=${d} title="The sessions cannot be listed" />
      ${l===void 0&&!d&&a`<${R} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${l!==void 0&&a`
          <div class=${`list stack ${c?"stale":""}`}>
            <${Na} data=${l} filters=${o} opened=${s} />
          </div>
        `}
        ${s!==void 0&&a`
          <${Da} key=${s} id=${s} session=${t} times=${u}
            filters=${o} />
        `}
      </div>
    </div>
  `}function Ca(e,t){let{from:s,isOpen:n,to:o}=we(e,D(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function qa(e,t,s){let{parts:n,hasMore:o}=await De(async r=>{let i=F(e,"usage",{...t,group_by:"session,hour",...r}),{data:u,next:l}=await O(i,{signal:s});return{part:u,next:l}});return{entries:n.flat(),hasMore:o}}function Ma({filters:e,session:t,opened:s}){let n=Ee(t),o=i=>location.hash=ae(i,s),r=t.hasAdmin?os:os.filter(i=>!Aa.test(i));return a`
    <${bt}
      label="Filter the sessions"
      words=${Tt(e)}
      current=${ae(e,s)}
      placeholder="Add a filter: key:, model:, provider:, cost>1, moves>0, a part of an ID"
      offered=${i=>{let{name:u}=Re(i);return vt(i,[...r,...n.of(u).map(l=>`${u}:${/\s/.test(l)?`"${l}"`:l}`)])}}
      onAdd=${i=>{let u=no(i,e);return u.fault===void 0&&o(u.filters),u.fault}}
      onRemove=${i=>o({...e,[i]:""})}
      onType=${i=>{let{name:u}=Re(i);r.includes(`${u}:`)&&n.load(u)}}
      clear=${Tt(e).length>0?ae(so(e),s):void 0}
    />
  `}var Aa=/^(key|team|owner):/;function ue(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var Ra=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ue("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),{id:"last",title:"Last",of:({last:e})=>e,text:Ea,panel:"low",hint:"The hour of the last request"},ue("errors","Failed",({errors:e})=>e>0?e:void 0,$),ue("input","Input",e=>e.input_tokens,E,{hint:"Input tokens",panel:"hide"}),ue("cached","Cached",La,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ue("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ue("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,k,{hint:"What caches have saved",panel:"hide"}),ue("cost","Cost",e=>e.cost_usd,(e,t)=>a`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${k(e)}</span>`,{card:"b"})];function Ea(e){let t=Date.parse(e);return a`<span title=${G(t)}>${te(t).replace(/:00$/,"")}</span>`}function La(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function Na({data:e,filters:t,opened:s}){let n=W(()=>ro(e.entries,t),[e,ae(t)]);return n.length===0?a`
      <p class="card empty">
        ${Tt(t).length>0?"No session matches these filters in this time.":a`No session in this time. A client names one by the header
              <code>x-sluice-session</code>.`}
      </p>
    `:a`
    <${U}
      label="Sessions"
      columns=${Ra}
      rows=${n}
      idOf=${o=>o.session}
      hrefOf=${o=>ae(t,o.session)}
      actionsOf=${o=>[{text:"Open",href:ae(t,o.session)},{text:"Its requests",href:q({...ie,session:o.session})},{text:"Copy the ID",copy:o.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${s}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>ao(t)}
    />
    <p class="faint small" role="status">
      ${n.length===1?"1 session":`${$(n.length)} ${e.hasMore?"or more ":""}sessions`}
    </p>
  `}function ao(e){location.hash=ae(e)}async function Ia(e,t,s,n){let o=[],r;for(let i=0;i<Ta&&r!==null;i++){let u={...s,session:t,limit:String(Oa),...r&&{before:r}},{data:l,next:d}=await O(F(e,"requests",u),{signal:n});o.push(...l),r=d}return{turns:zn(o),hasMore:r!==null}}function Da({id:e,session:t,times:s,filters:n}){let{data:o,error:r}=N(i=>Ia(t,e,s,i),[e,s]);return a`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ke} text=${e} />
        </h2>
        <${Ts} icon="close" label="Close the session"
          onClick=${()=>ao(n)} />
      </header>
      <div class="stack padded">
        <${T} error=${r} title="The session cannot be shown" />
        ${!o&&!r&&a`<${R} />`}
        ${o?.turns.length===0&&a`
          <p>This session has no request in this time.</p>
          <p><a class="button" href=${ae({...n,range:"90d",from:"",to:""},e)}>Show the last 90 days</a></p>
        `}
        ${o?.turns.length>0&&a`<${Pa} ...${o} />`}
      </div>
    </section>
  `}function Pa({turns:e,hasMore:t}){let{text:s,title:n}=eo(e),o=W(()=>Fa(e),[e]),r=e.findLast(i=>i.agent)?.agent;return a`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&a`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${U} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>q(ie,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function Fa(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>a`<span title=${G(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>a`
          ${s.hasMoved&&a`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":a`<${ke} text=${s.provider} />`}
          ${s.status>=400&&a`
            <${Ye} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>a`<${Ua} turn=${s} most=${t} />`},ue("first","First",s=>s.first_token_ms,x,{hint:"Time to first content"}),ue("cost","Cost",s=>s.cost_usd,k,{card:"d"})]}function Ua({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return a`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${E(t)}
    </span>
  `}var _o={};ye(_o,{default:()=>wo});var Ba=3e3;function lo({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=N(l=>O(n,{signal:l}),[n]);_e(i,Ba);let u=o?.data.find(l=>l.id===e);return a`
    <${j} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&a`<${R} />`}
        ${o&&!u&&a`<p>This provider is no longer configured.</p>`}
        ${u&&a`<${ja} provider=${u} />`}
      </div>
      <//>
  `}function ja({provider:e}){let t=is(e,"breakers"),s=is(e,"learned_rejections");return a`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${Ka(e)}</span>
      ${e.workers?.length>1&&a`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${rs}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:u})=>[as(o,n),a`<${$t} state=${r} />`,i,u===void 0?"\u2013":`in ${x(u)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${Ha} provider=${e} />
    <h3>Learned rejections</h3>
    <${rs}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[as(o,n),a`<span class="mono wrap-anywhere">${co(r)}</span>`])}
      empty="None."
    />
  `}function Ha({provider:e}){let t=is(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?a`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:a`
    <${rs}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[as(Wa(e,n),s),o??"all",r,`in ${x(i)}`])}
      empty="None."
    />
  `}function rs({label:e,columns:t,rows:s,empty:n}){return s.length===0?a`<p class="soft">${n}</p>`:a`
    <${Ae} label=${e}>
      <thead>
        <tr>${t.map(o=>a`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>a`
            <tr key=${r}>${o.map((i,u)=>a`<td key=${u}>${i}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function is({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function as(e,t){return a`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&a`<span class="faint small"> worker ${t}</span>`}
  `}function Wa({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function Ka({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function co(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="object"&&s!==null?co(s):s}`).join(", ")}var Ga=[...Jt.keys()],po={id:"state",isRising:!0};function $o({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=w(null),u=W(()=>Va(s),[s]);if(e.length===0)return a`<p class="card empty">No provider is enabled.</p>`;let l=({id:c})=>[{text:"Breakers and keys",href:fo(c)},{text:"Its requests",href:q({...ie,provider:c})},{text:"Its failures",href:q({...ie,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return a`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&a`
          <span class="faint small">Attempts and durations since ${te(t)}</span>
        `}
      </div>
      <${U} label="Providers" columns=${u} rows=${Vt(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>fo(c)} actionsOf=${l}
        order=${po} current=${o} />
    </section>
    ${o!==void 0&&a`
      <${lo} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&a`<${Ya} id=${r} onClose=${()=>i(null)} />`}
  `}function fo(e){return`#/status/${encodeURIComponent(e)}`}function mo(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>Ga.indexOf(t),cell:({state:t})=>a`<${Xa} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>As(s)||s==="ok"?t?.since:void 0,text:t=>a`<span title=${G(t)}>${me(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>ho(t,e),cell:t=>a`<${Ja} entry=${t} now=${e} />`}]}function Xa({state:e}){return e==="limited"?a`<span class="st slow">${Jt.get(e).text}</span>`:a`<${Me} state=${e} />`}function ho({health:e,last_failure:t},s){let n=e==null?"":Ke(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${Gs(t)}, ${Rs(t.time,s)}`;return o===""?r:`${o}; ${r}`}function Ja({entry:e,now:t}){let{last_failure:s}=e,n=ho(e,t);if(!s)return a`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return a`<a class="failure" href=${q(ie,o,r)} title=${n}>${n}</a>`}function Va(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},...mo(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>a`<${Za} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},...go(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that succeeded after all"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:x},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:x},bo(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function go(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function bo(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>a`
        ${e==="closed"?a`<span class="faint">Closed</span>`:a`<${$t} state=${e} />`}
          ${t>0&&a`<span class="faint small"> tries again in ${x(t)}</span>`}
      `}}function Za({history:e}){let t=Xs(e);return a`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>a`<span key=${n} class=${Js(s)??"none"}></span>`)}
    </span>
  `}function Ya({id:e,onClose:t}){let[s,n]=w({}),o=async()=>{n({isBusy:!0});let l=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await O(l,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:u}=s;return a`
    <${j} title=${`Reset ${e}`} onClose=${t} class="narrow">
      <div class="stack">
        ${r===void 0?a`<p>
            This closes the circuit breakers, resumes the suspended keys and forgets the learned
            rejections of <code>${e}</code>, in every worker.
          </p>`:a`<p role="status">
            Cleared: ${r.breakers} breakers, ${r.suspended_keys} suspended keys,
            ${" "}${r.learned_rejections} learned rejections.
          </p>`}
        <${T} error=${i} title="Not reset" />
        <div class="row end">
          <button type="button" onClick=${t}>${r?"Close":"Cancel"}</button>
          ${!r&&a`
            <button type="button" class="primary" onClick=${o} disabled=${u}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function vo({models:e,now:t}){let s=W(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>a`<${ke} text=${n} />`},...mo(t),...go(),bo()],[t]);return e.length===0?null:a`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${U} label="Targets" columns=${s} rows=${Vt(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${po} />
    </section>
  `}var Qa=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>a`<span title=${e}>${e}</span>`}];function yo({providers:e}){return e.length===0?null:a`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${U} label="Disabled providers" columns=${Qa} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var us=120,Pe=26,ko=60;function Ct({values:e,tone:t=""}){let s=Math.max(1,...e),n=ko-e.length,o=i=>((n+i)/(ko-1)*us).toFixed(1),r=e.map((i,u)=>{let l=Pe-1-i/s*(Pe-3);return`${o(u)},${l.toFixed(1)}`}).join(" ");return a`
    <svg
      class=${`sparkline ${t}`}
      height=${Pe}
      viewBox=${`0 0 ${us} ${Pe}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Pe} ${r} ${us},${Pe}`}
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
  `}var za=.05;function wo({route:e}){let t=K(),{state:s,history:n,isLive:o,error:r}=Vs(F(t,"live")),i=t.hasAdmin?"All providers of this gateway.":"The providers of the models that your key may use.";return a`
    <div class="view" data-view="status">
      <${ee} title=${s===void 0?"Providers":Ws(s)} note=${i}>
        <${su} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&a`<${R} text="Connecting" />`:a`
        <${eu} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function eu({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(u=>u.enabled),r=e.providers.filter(u=>!u.enabled),i=Date.parse(e.at);return a`
    <${tu} state=${e} now=${i} />
    <${ou} config=${e.config} />
    <${nu} state=${e} history=${t} enabled=${o.length} />
    <${$o} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${vo} models=${e.models??[]} now=${i} />
    <${yo} providers=${r} />
  `}function tu({state:e,now:t}){let s=Ks(e,t);return s.length===0?null:a`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>a`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function su({isLive:e,state:t,error:s}){return e?a`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${te(t.at)}</time>
      </span>
    `:a`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&a`<time class="faint mono">last at ${te(t.at)}</time>`}
    </span>
  `}function nu({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:u}=e,l=o>0?r/o:0;return a`
    <dl class="figure-grid card live">
      <${I} label="In flight" value=${$(n)}>
        <${Ct} values=${t.map(d=>d.in_flight)} />
        <//>
        <${I} label="Requests per second" value=${We(o)}>
          <${Ct} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${I}
            label="Errors per second"
            value=${We(r)}
            note=${l>0?`${C(l,1)} of requests`:""}
            tone=${l>=za?"bad":""}
          >
        <${Ct} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${I}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${u&&a`
        <${I}
          label="Configuration"
          value=${u.valid?"Valid":"Stale"}
          tone=${u.valid?"":"warn"}
          note=${u.loaded_at&&`loaded ${te(u.loaded_at)}`}
        />
      `}
    </dl>
  `}function ou({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return a`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${G(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&a`<p>${n}</p>`}
      ${t.length>0&&a`
        <ul class="faults mono">
          ${t.map((o,r)=>a`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var br={};ye(br,{default:()=>gr});var qt=36e5,ru=48*qt,iu="month",le=["key","team","owner","model","provider","tag","end_user"],au=["requests","errors","tokens","cost","latency"],tt={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(le.map(e=>[e,""]))};function Mt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=le.includes(t)?t:tt.by;return{...qe(e,iu),by:o,then:le.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:au.includes(s)?s:tt.show,tab:e.get("tab")==="bill"?"bill":tt.tab,...Object.fromEntries(le.map(r=>[r,e.get(r)??""]))}}function Fe(e){return Object.fromEntries(le.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Ue(e,t="usage"){let s=new URLSearchParams;ut(s,e);for(let n of Object.keys(tt))e[n]!==tt[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function st(e,t,s){let{from:n,isOpen:o,to:r}=we(e,t,s),i=r-n<=ru?"hour":"day",u=[],l=i==="hour"?n-n%qt:Z(n,s);for(;l<r;)u.push(l),l=i==="hour"?l+qt:Z(l,s,1);return{from:Math.min(n,u[0]??n),to:r,end:l,isOpen:o,unit:i,zone:s,starts:u}}function xo(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:z(e,s)}function So(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?Z(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*qt)),l=e.range==="month"||e.range==="last-month"?$e(t,n,-1):Z(t,n,-i),d=Z(l,n,i);return{now:{from:t,to:r},before:{from:l,to:Math.min(d,t)}}}function At({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var Oo=5,ls=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:E,isWhole:!0},{id:"cost",name:"Cost",of:L,format:k,isWhole:!1},{id:"latency",name:"Duration",format:uu,isWhole:!1,isLines:!0}];function uu(e){return e===0?"0":x(e)}function qo(e){return ls.find(t=>t.id===e)}function L({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function X(e){if(e===void 0)return k(0);let t=L(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${k(t)}`:k(t)}function Mo(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function Ao(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function Ro(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,u)=>i+u.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=nt(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${X(r)}, all requests are ${$(e.requests)} and ${X(e)}.`}function ce(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function Eo(e,t,{by:s,show:n}){let{unit:o}=t,r=qo(n),{times:i,positions:u}=No(t),l=new Map;for(let y of e){let g=u.get(y[o]);if(g===void 0)continue;let b=y[s]??null,h=l.get(b);h===void 0&&(h={name:ce(b,s),values:i.map(()=>0),sums:nt()},l.set(b,h)),h.values[g]=r.of(y),h.sums=nt(h.sums,y)}let d=({sums:y})=>r.of(y)??-1,c=[...l.values()].sort((y,g)=>d(g)-d(y)),f=c.slice(0,Oo).map(y=>Co(y,r)),p=c.slice(Oo),m=nt(...c.map(({sums:y})=>y));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:Io(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,Co(lu(p),r,!0)]}}function Lo(e,t,s){let{times:n,positions:o}=No(t),r=To.map(({name:i,member:u})=>({name:i,isOther:!1,isPartial:!1,total:s?.[u]??null,values:n.map(()=>null)}));for(let i of e){let u=o.get(i[t.unit]);u!==void 0&&To.forEach(({member:l},d)=>r[d].values[u]=i[l]??null)}return{metric:qo("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:Io(n,t),unpriced:0,series:r}}var To=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function No(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[xo(n,e),o]));return{times:t,positions:s}}function Io(e,{zone:t}){return e.map(s=>(s+Ns(s,t))/1e3)}function cs(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function Co({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function lu(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>du(e.map(n=>n.values[s]))),sums:nt(...e.map(({sums:t})=>t))}}var cu=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function nt(...e){return Object.fromEntries(cu.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function du(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var fu=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>ce(e.provider,"provider")},{id:"cost",title:"Cost",of:L,cell:X,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:k},{id:"share",title:"Of its cost",isNumber:!0,of:e=>L(e)?e.unused_cost_usd/L(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:E,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:E,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:E,isNumber:!0}];function Do({entries:e,total:t}){let s=t?.unused_cost_usd??0;return a`
    <p>
      ${s>0?a`<strong>${k(s)}</strong> was paid for answers that were not used, ${C(s,L(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${U} label="Cost by provider" columns=${fu} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var pu="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),Po={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function Fo(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),u=l=>s.top+s.height*(1-l/t);return e.map(({values:l})=>l.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,y=u(i[f]);return`M${de(m)} ${de(y)}h${de(r)}V${de(u(p))}h${de(-r)}z`}).join(""))}function Uo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let u=de(s.left+n*(i+.5)),l=de(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${u} ${l}h0`:`L${u} ${l}`}).join(""))}var Rt={height:240,left:64,right:8,top:14,bottom:26};function Bo({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:u,left:l,top:d}=Rt,c=s.at(-1),f=ds([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-Rt.right,y=h=>de(l+(m-l)*(h-e)/(t-e)),g=h=>de(d+(u-d-i)*(1-h/p)),b=`M${y(c.time)} ${g(c.usd)}`;return{ticks:f,x:y,y:g,right:m,spent:s.map(({time:h,usd:_},v)=>`${v===0?"M":"L"}${y(h)} ${g(_)}`).join(""),band:n&&`${b}L${m} ${g(n.high)}V${g(n.low)}z`,line:n&&`${b}L${m} ${g(n.usd)}`,budget:o===void 0?void 0:`M${l} ${g(o)}H${m}`}}function ds(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,u=t?Math.max(1,i*r):i*r,l=Math.ceil(o/u-1e-9);return Array.from({length:l+1},(d,c)=>Number((c*u).toPrecision(12)))}function jo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=Po[t].find(r=>e.length/r<=n)??Po[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:$u(r,t)}]:[])}function $u(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${pu[s.getUTCMonth()]}`}function fs(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function de(e){return Math.round(e*10)/10}var Et=240,ge=64,Ho=8,Lt=10,mu=26,hu=48;function Wo({chart:e,linkOf:t}){let[s,n]=w(null),{isOpen:o,metric:r,unit:i,times:u,series:l,unpriced:d,zone:c}=e,f=s!==null&&s<u.length?s:null;return a`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${fs(u[f],i)} ${c}`}
        </span>
      </figcaption>
      <${gu} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${l.map(({name:p,values:m,isOther:y,...g},b)=>a`
            <li key=${`${b}${p}`}>
              <span class=${`swatch ${Go(y,b)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?Ko(g,r):ps(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&a`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${bu} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function gu({chart:e,hovered:t,onHover:s,linkOf:n}){let o=P(null),r=Le(o),{isOpen:i,metric:u,unit:l,times:d,series:c}=e,f={left:ge,top:Lt,width:r-ge-Ho,height:Et-Lt-mu},p=f.width/d.length,m=ds(c,u),y=u.isLines?Uo:Fo,g=r===0?[]:y(c,m.at(-1),f),b=v=>f.top+f.height*(1-v/m.at(-1)),h=v=>{let S=v.clientX-o.current.getBoundingClientRect().left-ge,M=Math.floor(S/p);s(M>=0&&M<d.length?M:null)},_=`${u.name} per ${l}: ${c.map(({name:v,...S})=>`${v} ${Ko(S,u)}`).join(", ")}`;return a`
    <div
      class=${u.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a time"
      onPointerMove=${h}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${Et}
        viewBox=${`0 0 ${r} ${Et}`}
        role="img"
        aria-label=${_}
      >
        ${t!==null&&a`
          <rect
            class="hovered"
            x=${ge+t*p}
            y=${Lt}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(v=>a`
            <g key=${v}>
              <line class="grid" x1=${ge} x2=${r-Ho} y1=${b(v)} y2=${b(v)} />
              <text x=${ge-8} y=${b(v)+4} text-anchor="end">${u.format(v)}</text>
            </g>
          `)}
        ${g.map((v,S)=>a`<path key=${S} class=${Go(c[S].isOther,S)} d=${v} />`)}
        ${i&&!u.isLines&&r>0&&a`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${ge+(d.length-1)*p} y=${Lt} width=${p}
            height=${f.height} />
        `}
        ${r>0&&jo(d,l,f.width).map(({index:v,text:S})=>a`
            <text
              key=${v}
              x=${ge+(v+.5)*p}
              y=${Et-8}
              text-anchor=${(d.length-v-.5)*p<hu/2?"end":"middle"}
            >${S}</text>
          `)}
      </svg>
    </div>
  `}function ps(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function Ko({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${ps(e,s)}`}function Go(e,t){return e?"series-other":`series-${t+1}`}function bu({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,u]=w(!1);return a`
    <details onToggle=${l=>u(l.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${i&&a`
        <${Ae} label=${`${s.name} per ${n}`}>
          <thead>
            <tr>
              <th scope="col">Time, ${r}</th>
              ${t.map(({name:l},d)=>a`<th key=${d} scope="col" class="number">${l}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${e.map((l,d)=>a`
                <tr key=${l}>
                  <th scope="row" class="name">
                    <a href=${o(d)}>${fs(l,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>a`
                      <td key=${f} class="number">${ps(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var Jo=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function $s({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[z(t,n),z(s-1,n),...r].join("_")}.csv`}function Vo({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(u=>u),i=[[...r,...Jo]];for(let u of t??s)i.push([...r.map(l=>ce(u[l],l)),...Xo(u)]);return i.push([...r.map((u,l)=>l===0?"Total":""),...Xo(o??{})]),i.map(u=>u.map(vu).join(",")+`
`).join("")}function Xo(e){return Jo.map(t=>e[t]??(t==="cost_usd"?"":0))}function vu(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function Zo({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${$s(e)}
      onClick=${()=>gt($s(e),Vo(e))}>CSV, ${s}</button>
  `}var yu={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function Yo({choice:e,session:t,onChange:s}){let[n,o]=w(e),r=Ee(t),i=le.map(c=>e[c]).join(`
`);B(()=>o(e),[i]);let u=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&ku(c,e)})},l=new Set(["key","team","owner"]),d=le.filter(c=>!l.has(c)||t.hasAdmin);return a`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>a`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${yu[c]}</label>
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
              onChange=${f=>u(c,f.target.value)}
              onKeyDown=${f=>f.key==="Enter"&&u(c,f.target.value)}
            />
            <datalist id=${`usage-${c}-values`}>
              ${r.of(c).map(f=>a`<option key=${f} value=${f} />`)}
            </datalist>
          </div>
        `)}
      ${i.trim()!==""&&a`
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(le.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function ku(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}var wu=864e5,_u=7,xu=3;function zo({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=Z(s,n),i=[];for(let p=1;p<=_u;p++){let m=Z(r,n,-p);if(m<o)break;i.push(t.get(z(m,n))??0)}if(i.length<xu)return;let l=($e(s,n,1)-s)/wu,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*l;return{usd:f(c),low:f(Qo(d,.1)),high:f(Qo(d,.9)),mean:c,left:l,days:i.length}}function er({spent:e,costs:t,now:s,zone:n}){let[o,r]=[$e(s,n),$e(s,n,1)],i=[{time:o,usd:0}];for(let u=o;u<Z(s,n);){let l=i.at(-1).usd+(t.get(z(u,n))??0);u=Z(u,n,1),i.push({time:u,usd:l})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function tr(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function Qo(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function sr(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:u,unpriced:l,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=u??0,f=l>0?"at least ":"";if(!n)return{title:`${r}: ${u===null?"an unknown cost":`${f}${k(c)}`}`,text:`${$(i)} requests.`};let p=Ce(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${k(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,y=t===void 0?"":m>0?`, ${J(m)} over the budgets`:`, ${J(-m)} under the budgets`;return{title:`${p} will end near ${f}${J(s.usd)}${y}`,text:`${k(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${k(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${J(s.low)} and ${J(s.high)}.`}}function J(e){return e<100?k(e):`$${$(Number(e.toPrecision(3)))}`}var Su=new Set(["(other)","(unreadable)"]);function nr(e,{from:t,to:s},n={}){let o=Object.entries(Fe(e)).filter(([r])=>Xe.includes(r));return q(ft({...ie,...Object.fromEntries(o),...n},t,s))}function ms(e,t,s,n,o=""){if(!(n==null||Su.has(n)))return Xe.includes(s)?nr(e,t,{[s]:n,status:o}):Ue({...e,[s]:n,by:"key",then:""})}function or(e,{end:t,starts:s},n){return nr(e,{from:s[n],to:s[n+1]??t})}var Ou=2e4,Tu=8;function rr(e,t,s){let n=Fe(t),o=m=>{let y=async(b,h,_=s)=>{let v={...At(h,_),...n,...b!==""&&{group_by:b}},{parts:S,hasMore:M}=await De(async V=>{let{data:A,next:oe}=await O(F(e,"usage",{...v,...V}),{signal:m});return{part:A,next:oe}});return{entries:S.flat(),hasMore:M}},g=()=>e.hasAdmin?Promise.all([ct({},m),y("key",st(t,D(),s))]).then(([b,{entries:h}])=>tr(b,h,t)).catch(()=>{}):O("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:b})=>Lu(b)?b.limit_usd:void 0);return Cu({choice:t,get:y,now:D(),zone:s,budgets:g})},{by:r,from:i,prefix:u,range:l,show:d,then:c,to:f}=t,p=[e.hasAdmin,l,i,f,r,c,u,s,d==="latency"];return N(o,[...p,JSON.stringify(n)])}async function Cu({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,u=st(e,s,n),l=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(u.from,Z(s,n,-Tu)),to:s+1}:void 0,f=d&&Eu.every(Y=>e[Y]===""),[p,m,y,g,b,h,_]=await Promise.all([t("",u),t(r,u),i===""?void 0:t(`${r},${i}`,u),t("model,provider",u),c&&t("day",c),Au(e,t,u),f?o():void 0]),v=m.entries.length*u.starts.length,S=m.hasMore||v>Ou,M=await t(S||l?u.unit:`${u.unit},${r}`,u),V=p.entries[0],A=V===void 0?0:L(V),oe=new Map((b?.entries??[]).map(Y=>[Y.day,L(Y)??0])),at={spent:A??0,costs:oe,now:s,zone:n},xs=b&&zo({...at,since:h.since}),Wt=Y=>r==="tag"&&e.prefix!==""?Ao(Y,e.prefix):Y;return{total:V,period:u,choice:e,by:r,then:i,isLatency:l,isTogether:S,budget:_,forecast:xs,course:d?er(at):void 0,headline:{spent:A,forecast:xs,budget:_,now:s,zone:n,isMonth:d,requests:V?.requests??0,unpriced:V?.unpriced_requests??0},groups:Wt(m.entries),hasMore:m.hasMore,detailed:y&&Wt(y.entries),prefixes:r==="tag"?Mo(m.entries):[],series:S||l?M.entries:Wt(M.entries),compared:h.result,bill:qu(g.entries),unpriced:g.entries.filter(({unpriced_requests:Y})=>Y>0).sort((Y,Qr)=>Qr.unpriced_requests-Y.unpriced_requests)}}function qu(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...Mu(s),provider:t}))}function Mu(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function Au(e,t,s){let n=So(e,s),o=$e(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[u,l]=await Promise.all([t("",n.now),t("",n.before)]),d=u.entries[0]&&l.entries[0]?{now:u.entries[0],before:l.entries[0],name:Ru(n.before,s.zone)}:void 0;return{since:i,result:d}}function Ru({from:e,to:t},s){return Ce(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var Eu=["model","provider","tag","end_user"];function Lu(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var ir=14;function ar({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=P(null),r=Le(o),{start:i,end:u,points:l}=t,{height:d,left:c,top:f}=Rt,{right:p,ticks:m,x:y,y:g,...b}=Bo({course:t,forecast:s,budget:e,width:r}),h=Ce(n,{day:"numeric",month:"short"}),_=l.at(-1),v=[i,(i+u)/2,u-1],S=[`${k(_.usd)} on ${h.format(_.time)}`,s&&`forecast ${J(s.usd)} on ${h.format(u-1)}, between ${J(s.low)} and ${J(s.high)}`,e!==void 0&&`the budget is ${k(e)}`].filter(Boolean).join("; ");return a`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${h.format(u-1)}: ${J(s.usd)}`:`Until ${h.format(_.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${S}>
          ${m.map(M=>a`
              <g key=${M}>
                <line class="grid" x1=${c} x2=${p} y1=${g(M)} y2=${g(M)} />
                <text x=${c-8} y=${g(M)+4} text-anchor="end">${k(M)}</text>
              </g>
            `)}
          ${v.map((M,V)=>a`
              <text key=${z(M,n)} x=${y(M)} y=${d-8}
                text-anchor=${["start","middle","end"][V]}>${h.format(M)}</text>
            `)}
          ${b.band&&a`<path class="band" d=${b.band} />`}
          ${b.budget&&a`<path class="budget-line" d=${b.budget} />`}
          <path class="spent" d=${b.spent} />
          ${b.line&&a`<path class="forecast" d=${b.line} />`}
          ${b.budget&&a`
            <text x=${c+4} y=${g(e)+(g(e)<f+ir?ir:-4)}
            >Budget ${k(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&a`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var Nu=[{name:"input",label:"US dollars per million input tokens"},{name:"output",label:"US dollars per million output tokens"},{name:"cached_input",label:"Per million cached input tokens",isOptional:!0}],Iu=[{unit:"searches",name:"thousand_searches",label:"US dollars per 1,000 searches"},{unit:"images",name:"image",label:"US dollars per image"},{unit:"characters",name:"million_characters",label:"US dollars per million characters"},{unit:"seconds",name:"minute",label:"US dollars per minute"}];function ur(e){let t=Iu.filter(({unit:o})=>e[o]>0),s=t.length===0||e.input_tokens+e.output_tokens>0,n=Nu.map(o=>t.length>0?{...o,isOptional:!0}:o);return[...t,...s?n:[]]}function lr({data:e,targets:t},s,n){let o=(e.find(({id:i})=>i===s)?.steps??[]).flatMap(i=>i.targets).filter(i=>i.provider===n).map(({upstream:i})=>i),r=t.filter(i=>i.provider===n&&o.includes(i.upstream));return r.length>0?r.map(({id:i})=>i):s===null?[]:[s]}function cr(e,t,s,n,o){let r=e.find(({path:p})=>p[0]==="providers"&&p[1]===t);if(r===void 0||s===void 0)return{fault:"config.yaml has no such provider: change its text."};let i=r.fields.find(({path:p})=>p.length===1&&p[0]==="models");if(i?.items===void 0)return{fault:"The provider has no list of models: name the model in 'models' first."};let u=n.map(({isOptional:p,name:m})=>[m,o[m]??"",p]);if(!u.every(([,p,m])=>/^\d+(\.\d+)?$/.test(p)||m&&p===""))return{};let d=Object.fromEntries(u.filter(([,p])=>p!=="").map(([p,m])=>[p,Number(m)])),c=i.items.findIndex(({name:p})=>p===s),f=[...r.path,"models",c===-1?i.items.length:c];return c!==-1&&i.items[c].is_text?{edits:[{path:[...f,"prices"],value:d}]}:{edits:[{path:f,value:{id:s,prices:d}}]}}var hs=20;function dr({entries:e,canSet:t}){let[s,n]=w(void 0),[o,r]=w([]),i=t&&e.length>0,{data:u}=N(async c=>i?await O("/v1/admin/config",{signal:c}):void 0,[i]);if(e.length===0)return null;let l=e.reduce((c,f)=>c+f.unpriced_requests,0),d=u?.editable===!1?u.read_only_reason:void 0;return a`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${$(e.length)} ${e.length===1?"model has":"models have"} no price</h2>
      <p>${$(l)} ${l===1?"request is":"requests are"} not in these sums.${d&&a`<span class="soft"> ${d}.</span>`}</p>
      <ul class="price-list">
        ${e.slice(0,hs).map(c=>a`
            <li key=${gs(c)}>
              <span class="wrap-anywhere"><code>${c.model??"(no model)"}</code>
                <span class="soft"> at ${c.provider??"no provider"}, ${$(c.unpriced_requests)} ${c.unpriced_requests===1?"request":"requests"}</span></span>
              ${o.includes(gs(c))?a`<span class="soft">Requests have a cost from now on.</span>`:t&&a`
                  <button type="button" class="small" title=${d}
                    disabled=${!u||d!==void 0}
                    onClick=${()=>n(c)}
                    aria-label=${`Set a price of ${c.model} at ${c.provider}`}
                  >Set a price</button>
                `}
            </li>
          `)}
      </ul>
      ${e.length>hs&&a`
        <p class="soft">And ${$(e.length-hs)} more.</p>
      `}
      ${s&&a`
        <${Pu} entry=${s} onClose=${()=>n(void 0)}
          onSaved=${()=>{r([...o,gs(s)]),n(void 0)}} />
      `}
    </section>
  `}function gs({model:e,provider:t}){return JSON.stringify([e,t])}async function Du({model:e,provider:t},s){let[n,o]=await Promise.all([O("/v1/admin/config",{signal:s}),O("/v1/admin/routes",{signal:s})]),r=n.file_text??n.text,{objects:i}=await O("/v1/admin/config/form",{body:{text:r,edits:[]},signal:s});return{config:n,base:r,objects:i,targets:lr(o,e,t)}}function Pu({entry:e,onSaved:t,onClose:s}){let n=Cs("price"),[o,r]=w(0),{data:i,error:u}=N(v=>Du(e,v),[o]),[l,d]=w(void 0),[c,f]=w({}),[p,m]=w({}),y=ur(e),g=i?.targets.find(v=>v===l)??i?.targets[0],{edits:b,fault:h}=i?cr(i.objects,e.provider,g,y,c):{};if(p.text!==void 0)return a`
      <${Zs} config=${i.config} base=${i.base} text=${p.text}
        onSaved=${t} onClose=${s} onReload=${()=>{r(o+1),m({})}} />
    `;let _=async v=>{v.preventDefault();try{let S={text:i.base,edits:b};m(await O("/v1/admin/config/form",{body:S}))}catch(S){m({error:S})}};return a`
    <${j} title=${`Set a price of ${e.model}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${_}>
        <${T} error=${u??p.error} title="The price cannot be set" />
        ${!i&&!u&&a`<${R} />`}
        ${i?.targets.length>1&&a`
          <div class="field">
            <label for=${n}>Model in config.yaml</label>
            <select id=${n} value=${g} onChange=${v=>d(v.target.value)}>
              ${i.targets.map(v=>a`<option key=${v} value=${v}>${v}</option>`)}
            </select>
          </div>
        `}
        ${i&&h&&a`<p class="fault">${h}</p>`}
        ${y.map(({label:v,name:S,isOptional:M})=>a`
            <div class="field" key=${S}>
              <label for=${`${n}-${S}`}>${v}${M?", if it differs":""}</label>
              <input id=${`${n}-${S}`} type="text" inputmode="decimal" autocomplete="off"
                value=${c[S]??""} required=${!M}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${V=>f({...c,[S]:V.target.value})} />
            </div>
          `)}
        <p class="hint">Requests have a cost from then on; earlier ones stay without one.</p>
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="submit" class="primary" disabled=${!b}>Review the change</button>
        </div>
      </form>
      <//>
  `}var fr={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},bs=e=>({of:t=>t[e],text:E,isNumber:!0});function Fu(e,t){let s=e?L(e)??0:0;return[{id:"cost",title:"Cost",of:L,cell:X,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(L(n)??0)/s:void 0,cell:n=>C(L(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?a`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...bs("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...bs("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...bs("output_tokens")},...Se.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:k},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:x,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:x,isNumber:!0}]}function pr({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,u]=w({id:"cost",isRising:!1}),l=fr[s]+(n===""?"":`, ${fr[n].toLowerCase()}`),d=[{id:"name",title:l,isRisingFirst:!0,card:"a",of:({isSub:f,...p})=>ce(p[f?n:s],f?n:s)},...Fu(o,r)],c=W(()=>{let f=d.find(({id:y})=>y===i.id),p=Kt(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,y=>y[s]);return p.flatMap(y=>[y,...Kt((m.get(y[s])??[]).map(g=>({...g,isSub:!0})),f,i.isRising)])},[e,t,i]);return a`
    <${U} label=${`Usage by ${l.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${u} />
  `}var Uu=.05;function $r({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:u=0,output_tokens:l=0}=o??{},d=o?L(o):0;return a`
    <dl class="figure-grid card">
      <${I} label="Cost" value=${X(o)}
        note=${Bu(t!==void 0&&`${C(d??0,t)} of ${k(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&a`
        <${I} label="Forecast" value=${J(n.usd)}
          note=${`${J(n.low)} to ${J(n.high)}`} />
      `}
      ${s&&a`
        <${I} label=${`Against ${s.name}`} value=${cs(L(s.now),L(s.before))||"\u2013"}
          note=${`${X(s.now)} against ${X(s.before)}, full days`} />
      `}
      <${I} label="Requests" value=${$(r)}
        note=${s&&cs(s.now.requests,s.before.requests)} />
      <${I} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*Uu?"bad":""} />
      <${I} label="Input tokens" value=${E(u)} note=${ju(o)} />
      <${I} label="Output tokens" value=${E(l)} note=${Hu(o)} />
      ${yt([o]).map(({id:c,title:f,text:p})=>a`<${I} key=${c} label=${f} value=${p(o[c])} />`)}
      <${I} label="Duration, p50" value=${r>0?x(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${x(o.p95_ms)}`:""} />
    </dl>
  `}function Bu(...e){return e.filter(t=>t).join(", ")}function ju(e){return e?.cached_input_tokens>0?`${E(e.cached_input_tokens)} cached`:""}function Hu(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var Wu=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],mr=["tag","end_user"],Ku=["team","owner","key"];function Nt(e,t,s=""){let n=mr.filter(o=>t[o]!==""||o===s);return Wu.filter(([o])=>(e.hasAdmin||!Ku.includes(o))&&o!==s&&(!mr.includes(o)||n.every(r=>r===o)))}function Gu(e,t){let s=(r,i)=>r.some(([u])=>u===i),n=s(Nt(e,t),t.by)?t.by:"model",o=s(Nt(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function gr({route:e}){let t=K(),s=mt(),n=Gu(t,Mt(e.query)),{data:o,error:r,isLoading:i,reload:u}=rr(t,n,s),l=f=>location.hash=Ue({...n,...f}),{title:d,text:c}=o?sr({...o.headline,rangeName:lt(n,s)}):{title:"Usage",text:""};return a`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${u}
            disabled=${i}>Refresh</button>
          ${o&&a`<${Zo} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${Yo} choice=${n} session=${t} onChange=${l} />
      ${o&&a`<${Xu} choice=${n} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&a`<${R} text="Loading the usage" />`}
      ${o&&a`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${$r} data=${o} />
          <${dr} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row"><${pe} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>l({tab:f})} /></div>
          ${o.groups.length===0?a`<div class="card empty">No request has ended in this time.</div>`:n.tab==="bill"?a`<${Do} entries=${o.bill} total=${o.total} />`:a`
              <${Ju} data=${o} choice=${n} session=${t} onChange=${l} />
            `}
        </div>
      `}
    </div>
  `}function Xu({choice:e,period:t}){let s=Object.entries(Fe(e)).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return a`
    <p class="only-print">
      ${[`${G(t.from)} to ${G(Math.min(t.to,D()))}`,...s].join(", ")}
    </p>
  `}function Ju({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:u,isLatency:l,isTogether:d,period:c,series:f,then:p,total:m}=e,y=l?Lo(f,c,m):Eo(f,c,{by:d?null:o,show:hr(t)}),g=e.course!==void 0&&hr(t)==="cost",b=(h,_)=>e.choice.prefix===""?ms(e.choice,c,o,h[o],_):ms(e.choice,c,o,`${e.choice.prefix}:${h[o]}`,_);return a`
    <div class="row spread">
      <div class="row">
        <${pe} label="Group by" value=${t.by} options=${Nt(s,t)}
          onChange=${h=>n({by:h,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${h=>n({then:h.target.value})}>
            <option value="">nothing</option>
            ${Nt(s,t,t.by).map(([h,_])=>a`<option key=${h} value=${h}>${_}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&a`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${h=>n({prefix:h.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(h=>a`<option key=${h} value=${h}>${h}:</option>`)}
            </select>
        `}
      </div>
      <${pe} label="Figure of the chart" value=${t.show}
        options=${ls.map(({id:h,name:_})=>[h,_])}
        onChange=${h=>n({show:h})} />
    </div>
    <div class=${g?"usage-charts":""}>
      <${Wo} chart=${y} linkOf=${h=>or(e.choice,c,h)} />
      ${g&&a`<${ar} data=${e} />`}
    </div>
    ${d&&!l&&a`
      <p class="hint">
        There are ${u?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&a`<p class="hint">${Ro(m,i,u)}</p>`}
    <section>
      <${pr} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${b} />
    </section>
  `}function hr({show:e}){return e==="latency"?"requests":e}var qr={};ye(qr,{default:()=>Cr});var vr=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function se(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function yr(e){let t=L(e),{net:s,unknown:n}=se(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function kr(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function wr(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}var _r={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache by themselves.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Asks the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function xr({total:e}){let t=se(e);return a`
    <div class="saving-grid">
      <${Vu} total=${e} amounts=${t} />
      <${Zu} total=${e} />
      <${Yu} total=${e} amounts=${t} />
      <${Qu} total=${e} amounts=${t} />
      <${zu} total=${e} amounts=${t} />
      <${el} total=${e} />
    </div>
  `}function Vu({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return a`
    <${Be}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${k(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",k(t.reads)],["Writes cost",k(t.writes)],["Cached input",`${C(s,o)}, ${E(s)} of ${E(o)}`],["Written",`${E(n)} tokens`],It(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function Zu({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=kr(e);return a`
    <${Be}
      id="sessions"
      title="Sessions that stay"
      isUsed=${wr(e)>0}
      value=${k(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",Sr(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function Yu({total:e,amounts:t}){return a`
    <${Be}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${k(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],It(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function Qu({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return a`
    <${Be}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${k(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],It(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function zu({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return a`
    <${Be}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${k(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],It(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function el({total:e}){let{queued_requests:t,queued_ms:s}=e;return a`
    <${Be}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",x(t===0?0:s/t)],["All waits",x(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function Sr(e){return e===1?"1 request":`${$(e)} requests`}function It(e){return e>0?["Unknown price",`${Sr(e)}, not included`]:void 0}function Be({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:u}){return a`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?a`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${re} class="saving-facts" facts=${i.filter(l=>l)} />
          <p class="hint">${u}</p>
        `:a`<${tl} id=${e} />`}
    </section>
  `}function tl({id:e}){let{text:t,config:s}=_r[e];return a`
    <p class="soft">No request used it in this time.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${Q} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var sl={model:"Alias or model",provider:"Provider",key:"Key"},nl=[{id:"net",title:"Net saved",isNumber:!0,card:"b",of:e=>se(e).net,cell:e=>{let{net:t,unknown:s}=se(e);return`${k(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching"],["response","Response cache"],["order","Cheapest first, est."],["hedges","Hedges cost"]].map(([e,t])=>({id:e,title:t,isNumber:!0,text:k,of:s=>se(s)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>C(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:L,cell:X,isNumber:!0,card:"d"}];function Or({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:sl[s],of:o=>ce(o[s],s),isRisingFirst:!0},...nl];return a`
    <${U} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&a`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var Tr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function Cr({route:e}){let t=K(),s=t.hasAdmin?Tr:Tr.filter(([p])=>p!=="key"),n=Mt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=mt(),{data:u,error:l,isLoading:d,reload:c}=ol(t,r,i),f=p=>location.hash=Ue({...r,...p},"savings");return a`
    <div class="view" data-view="savings">
      <${ee}
        title=${u?.total?rl(u.total):"Savings"}
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
      <//>
      <${T} error=${l} title="No savings" />
      ${!u&&!l&&a`<${R} text="Loading the savings" />`}
      ${u&&a`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${u.total&&a`<${il} total=${u.total} />`}
          ${!u.total&&a`
            <p class="card empty">No request has ended in this time.</p>
          `}
          <${xr} total=${u.total??vr} />
          ${u.total&&a`
            <div class="row">
              <${pe}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${Or} entries=${u.groups} hasMore=${u.hasMore} by=${u.by} />
          `}
        </div>
      `}
    </div>
  `}function ol(e,t,s){let{range:n,from:o,to:r,by:i}=t;return N(async l=>{let d=At(st(t,D(),s),s),c=m=>O(F(e,"usage",{...d,...m}),{signal:l}),[f,p]=await Promise.all([c({}),De(async m=>{let{data:y,next:g}=await c({group_by:i,...m});return{part:y,next:g}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function rl(e){let{net:t}=se(e),s=yr(e);if(t<0)return`Spent ${k(-t)} more than was saved`;let n=s===null?"":`, ${C(s,1)} of what it would have cost`;return`Saved ${k(t)}${n}`}function il({total:e}){let{net:t,unknown:s}=se(e);return a`
    <dl class="figure-grid card">
      <${I} label="Saved, net" value=${k(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${I}
        label="Cost"
        value=${X(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${I} label="Requests" value=${$(e.requests)} />
      <${I}
        label="Cached input"
        value=${C(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${E(e.input_tokens)} tokens`}
      />
    </dl>
  `}var Yr={};ye(Yr,{default:()=>Zr});var Dt=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],Oe=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Pt=3;function be(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(Oe.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(Mr.map(r=>[r,e?.[r]??""]))}}var Mr=["owner","team","note"];function Ar(e){let t=Object.entries(vs(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function Ft(e,t){let s=vs(be(t));return Object.fromEntries(Object.entries(vs(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function vs(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=Oe.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,Rr(e[n])])),budget:e.usd.trim()===""?null:al(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(Mr.map(n=>[n,e[n].trim()||null]))}}function al({usd:e,per:t,unknownPrices:s}){let n={usd:Rr(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function Rr(e){let t=Number(e);return Number.isFinite(t)?t:e}function je(e){return Oe.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function ne({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${k(e)} ${s}`}function Er(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:u,owner:l}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${ne(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...l===null?[]:[`Hello ${l},`],`your key "${u}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function Lr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Ut({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=l=>d=>t({...e,[l]:d.target.value}),r=(l,d)=>a`
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
    `,[i]=w(()=>Oe.slice(Pt).some(([l])=>e[l]!=="")),u=(l,d,c=[])=>a`
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
        ${c.length>0&&a`
          <datalist id=${`key-${l}-known`}>
            ${c.map(f=>a`<option key=${f} value=${f}></option>`)}
          </datalist>
        `}
      </div>
    `;return a`
    ${s&&a`
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
      ${u("team","Team",n)}
      ${u("owner","Owner")}
    </div>
    ${u("note","Note")}
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
          ${Dt.map(([l,d])=>a`<option key=${l} value=${l}>${d}</option>`)}
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
        ${Oe.slice(0,Pt).map(([l,d])=>r(l,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${Oe.slice(Pt).map(([l,d])=>r(l,d))}
        </div>
      </details>
    </fieldset>
  `}function Te(e){let[t,s]=w({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function ve({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function Nr({entry:e,onChanged:t,onClose:s}){let[n,o]=w(()=>be(e)),{isBusy:r,error:i,start:u}=Te(async()=>{let l=Ft(n,e);Object.keys(l).length>0&&(await O(ve(e),{method:"PATCH",body:l}),t()),s()});return a`
    <${j} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${u}>
        <${Ut} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${i} title="Not changed" />
        <${ys} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function Ir({entry:e,onChanged:t,onClose:s}){let[n,o]=w("1h"),[r,i]=w(void 0),{isBusy:u,error:l,start:d}=Te(async()=>{let c={overlap:n.trim()||"0s"};i(await O(`${ve(e)}/rotate`,{body:c})),t()});return r!==void 0?a`<${ul} entry=${r} onClose=${s} />`:a`
    <${j} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${d}>
        <p>The key gets a new text. Its name, settings and usage stay.</p>
        <div class="field">
          <label for="rotate-overlap">The text before stays valid for</label>
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
        <${ys} text="Rotate" isBusy=${u} onClose=${s} />
      </form>
      <//>
  `}function Dr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Te(async()=>{await O(ve(e),{method:"DELETE"}),t(),s()});return a`
    <${j} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${T} error=${o} title="Not revoked" />
        <${ys} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function ys({text:e,isBusy:t,onClose:s,tone:n=""}){return a`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function ul({entry:e,onClose:t}){return a`
    <${j} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${e.key}</code>
          <${Q} text=${e.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${t}>I have copied it</button>
        </div>
      </div>
      <//>
  `}var Bt=.9,ll=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),cl=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function ot({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Bt?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:u}=s,l=[i&&`renews ${Fr(i)}`,r!==null&&t>0&&`at this rate ${k(r)}${r>e?", more than the budget":""}`,u>0&&`${$(u)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:l}}function jt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function ks(e){return(jt(e)??0)>=Bt}function Pr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.filter(ks),n=t.filter(l=>(jt(l)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:l})=>l!==null)?`No key is over ${100*Bt} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Bt} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,u=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${Fr(i)}`:""}.`;return{title:r,text:u,used:n.length===1?n[0]:void 0}}function Fr(e){let t=new Date(e);return e.includes("T00:00:00")?ll.format(t):`${cl.format(t)} UTC`}function ws(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${k(t("cost_usd"))}`}function Ht({budget:e,spending:t}){if(!t)return a`${ne(e)}`;let{tone:s,notes:n,share:o}=ot(t),{forecast_usd:r,limit_usd:i,spent_usd:u}=t,l=[`${k(u)} of ${ne(e)}`,...n].join(", "),d=r!==null&&r>i;return a`
    <span class="budget" title=${l}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${ne(e)}`}
        aria-valuenow=${Math.round(100*o)}
        aria-valuemin="0"
        aria-valuemax="100"
      >
        <span style=${{width:`${Math.min(100,100*o).toFixed(1)}%`}}></span>
        ${r!==null&&!d&&i>0&&a`
          <i style=${{left:`${(100*r/i).toFixed(1)}%`}}></i>
        `}
      </span>
      <span class="share">${o>=1&&t.is_used_up?"used up":`${Math.floor(100*o)} %`}${d&&o<1?" \u2197":""}</span>
      <span class="limit soft">of ${ne(e)}</span>
    </span>
  `}var Ur=new Map([["expired","warn"],["disabled","bad"]]);function rt({id:e}){return`#/keys/${encodeURIComponent(e)}`}function _s({entry:e}){let{reason:t,status:s}=e,n=Lr(e,Date.now());return a`
    <span class=${Ur.has(s)?`badge ${Ur.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&a`
      <span class="small soft"> the text before is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var dl=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),fl=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low"},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:jt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&a`<${Ht} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:k},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:dl,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>je(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>a`<${_s} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ze(e):a`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>a`<code>${e}…</code>`}];function He({source:e,status:t}){return e==="store"&&t!=="revoked"}function Br({keys:e,marks:t,onAction:s}){return a`
    <${U} label="Keys" columns=${fl} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${rt} actionsOf=${o=>[{text:"Open",href:rt(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...He(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function Hr({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:u})=>i+(u?.budget?.spent_usd??0),0),o=e.some(He),r=(i,u,l="")=>a`
      <button type="button" class=${`small ${l}`} disabled=${!o}
        onClick=${()=>t(i)}>${u}</button>
    `;return a`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${k(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var jr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function Wr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(He),[r,i]=w({usd:"",per:"month",team:""}),[u,l]=w(0),d=y=>g=>i({...r,[y]:g.target.value}),{isBusy:c,error:f,start:p}=Te(async()=>{try{for(let[y,g]of o.slice(u).entries())await $l(e,g,r),l(u+y+1)}finally{s()}n()}),m=t.length-o.length;return a`
    <${j} title=${`${jr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:y})=>y).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
        ${m>0&&a`
          <p class="soft">${$(m)} of them ${m===1?"is":"are"} in config.yaml or
            revoked, and stay as they are.</p>
        `}
        ${e==="revoke"&&a`
          <p>Their requests are refused from now on. This cannot be undone.</p>
        `}
        ${e==="team"&&a`
          <div class="field">
            <label for="bulk-team">Team</label>
            <input id="bulk-team" type="text" maxlength="128" value=${r.team}
              onInput=${d("team")} />
          </div>
        `}
        ${e==="budget"&&a`<${pl} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(u)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(u)} of ${$(o.length)}`:jr[e]}</button>
        </div>
      </form>
      <//>
  `}function pl({fields:e,set:t}){return a`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${Dt.map(([s,n])=>a`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function $l(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await O(ve(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=Ft({...be(t),...r},t);if(Object.keys(i).length!==0)return await O(ve(t),{method:"PATCH",body:i})}var ml="The key is not shown again.",hl="What you have typed is lost.";function Kr({onCreated:e,teams:t}){let[s,n]=w(be),[o,r]=w(void 0),i=JSON.stringify(s)!==JSON.stringify(be()),{isBusy:u,error:l,start:d}=Te(async()=>{r(await O("/v1/admin/keys",{body:Ar(s)})),e()});if(o!==void 0)return a`<${gl} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return a`
    <${it} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&a`<${Gr} text=${hl} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Ut} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${l} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${u}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function it({text:e}){return a`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function Gr({text:e}){let[t,s]=w(void 0),n=P(()=>{});return B(()=>{n.current=Ys(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:a`
    <${j} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function gl({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:u,team:l}=e,d=[["Team",l],["Owner",u],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":ne(e.budget)],["Limits",je(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=w(!1);return B(()=>{c&&(location.hash="#/keys")},[c]),a`
    ${!c&&a`<${Gr} text=${ml} />`}
    <${it} text=${r} />
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
            <${Q} text=${s} label="Copy key" class="primary" />
          </div>
        </section>
        <${bl} keyText=${s} />
        <${yl} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${re} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This page closes only here. Back and links ask first.</p>
      </aside>
    </div>
  `}function bl({keyText:e}){let[t,s]=w(""),n=new URLSearchParams({os:Xr(),origin:location.origin}),{data:o,error:r}=N(u=>O(`/v1/clients?${n}`,{key:e,signal:u}),[e]),i=o?.data.find(u=>u.id===t)??o?.data[0];return a`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${T} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&a`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${i!==void 0&&a`
        <label class="row">Client
          <select value=${i.id} onChange=${u=>s(u.target.value)}>
            ${o.data.map(u=>a`<option key=${u.id} value=${u.id}>${u.title}</option>`)}
          </select>
        </label>
        ${vl(i,e).map(({title:u,text:l})=>a`
            <div key=${u} class="stack">
              <div class="row spread"><code>${u}</code>
                <${Q} text=${l} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${u}>${l}</pre>
            </div>
          `)}
      `}
    </section>
  `}function vl({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:Xr()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:u})=>({title:i,text:u})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function Xr(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function yl({entry:e}){let[t,s]=w(!1),n=Er(e,{origin:location.origin,hasKey:t});return a`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${t} onChange=${()=>s(!t)} />
          with the key in it
        </label>
        <${Q} text=${n} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${n}</pre>
    </section>
  `}function Jr({id:e,version:t,onAction:s}){let{data:n,error:o}=N(c=>O(ve({id:e}),{signal:c}),[e,t]);if(!n)return a`
      <${it} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&a`<${R} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:u}=n,l=u?.days??[],d=c=>new URLSearchParams({[c]:i});return a`
    <${it} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${kl(n)}</h1>
        <p class="soft"><${_s} entry=${n} />${u?.last_used?`, last used on ${u.last_used}`:u?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${He(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>a`
              <button type="button" key=${c} class=${c==="revoke"?"danger":""}
                onClick=${()=>s(c,n)}>${f}</button>
            `)}
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        ${r!==null&&a`
          <section class="card stack padded">
            <h2>Budget</h2>
            <${Ht} budget=${r} spending=${u?.budget} />
            <p class="soft">${u?.budget&&ot(u.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${ws(l).replace(/^.*?: /,"")}</p>
          <${wl} days=${l} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${re} facts=${_l(n)} class="key-facts" />
      </aside>
    </div>
  `}function kl({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=ot(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function wl({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return a`
    <div class="day-bars" role="img" aria-label=${ws(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>a`
          <span key=${o} title=${`${$(n)} requests, ${k(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function _l(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:u,prefix:l,source:d,team:c}=e;return[["Team",c],["Owner",u],["Note",i],["Begins with",l&&a`<code>${l}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",je(o).join(", ")||"default"],["Budget",t===null?"none":ne(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ze(s)],["Expires",n===null?"never":Ze(n)]].filter(([,f])=>f!=null)}function Zr({route:e}){let{hasAdmin:t}=K();return a`
    <div class="view" data-view="keys">
      ${t?a`<${Ol} path=${e.path} query=${e.query} />`:a`
        <${ee} title="Keys" />
        <${dt} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var Sl={edit:Nr,rotate:Ir,revoke:Dr};function Ol({path:[e],query:t}){let[s,n]=w(!1),[o,r]=w(null),[i,u]=w(0),l=N(m=>ct({revoked:s,usage:!0},m),[s,i]),d=()=>u(m=>m+1),c=(m,y)=>r({type:m,entry:y}),f=W(()=>Tl(l.data??[],"team"),[l.data]),p=o&&Sl[o.type];return a`
    ${e==="new"?a`<${Kr} onCreated=${d} teams=${f} />`:e!==void 0?a`<${Jr} id=${e} version=${i} onAction=${c} />`:a`
        <${Cl} ...${l} search=${t.get("search")??""} onAction=${c}
          onChanged=${d} showsRevoked=${s} onRevoked=${n} />
      `}
    ${o&&a`
      <${p} entry=${o.entry} onChanged=${d}
        onClose=${()=>r(null)} />
    `}
  `}function Tl(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var Vr=[["all","All",()=>!0],["near","Over 90 %",ks],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function Cl(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:u}=e,[l,d]=w(e.search),[c,f]=w("all"),[p,m]=w(()=>new Set),[y,g]=w(void 0),b=s?.code==="store_required",[,,h]=Vr.find(([A])=>A===c),_=Rl(l),v=W(()=>(t??[]).filter(A=>h(A)&&Al(A,_)),[t,c,_]),S=e.search.startsWith("sk-")&&l===e.search&&v.length===1?rt(v[0]):void 0;B(()=>S&&location.replace(S),[S]);let M=v.filter(({id:A})=>p.has(A)),V={ids:p,onToggle:A=>m(new Set(p.has(A)?[...p].filter(oe=>oe!==A):[...p,A])),onAll:A=>m(new Set(A?v.map(({id:oe})=>oe):[]))};return a`
    <${ql} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${A=>r(A.target.checked)} />
        Show revoked keys
      </label>
      ${b?null:a`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${fe} name="add" /> Create key
        </a>
      `}
    <//>
    ${b?a`
        <div class="card empty">
          <p>${s.message}</p>
        </div>
      `:a`<${T} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&a`<${R} text="Loading the keys" />`}
    ${t&&a`
      <div class="row">
        <${pe} label="Which keys" value=${c} onChange=${f}
          options=${Vr.map(([A,oe,at])=>[A,`${oe} ${$(t.filter(at).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${l}
          onInput=${A=>d(A.target.value)} />
      </div>
      ${M.length>0&&a`
        <${Hr} keys=${M} onAction=${g} onClear=${()=>m(new Set)} />
      `}
      ${v.length===0?a`<div class="card empty" role="status">${Ml(t,_)}</div>`:a`
          <div class=${n?"stale":""}>
            <${Br} keys=${v} marks=${V} onAction=${i} />
          </div>
        `}
    `}
    ${y&&a`
      <${Wr} kind=${y} keys=${M} onChanged=${u}
        onClose=${()=>g(void 0)} />
    `}
  `}function ql({keys:e,children:t}){let{title:s,text:n,used:o}=e?Pr(e):{title:"Keys",text:""};return a`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&a`
          <a class="wrap-anywhere" href=${rt(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function Ml(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function Al({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(u=>u?.toLowerCase().includes(i))}function Rl(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{Yr as keys,fn as overview,Qn as requests,qr as savings,uo as sessions,_o as status,br as usage};
