import{b as lt,f as Bs}from"./shared3.js";import{B as Rs,H as $e,I as J,J as je,K as Es,L as Ke,M as B,N as Pt,P as Ft,Q as Ls,R as Ns,S as Is,T as Ds,U as Ps,V as Fs,W as ut,a as K,b as It,c as ke,d as Ts,e as D,f as F,g as ot,h as ee,i as rt,j as N,k as Ce,l as Dt,m as Be,n as Cs,o as pe,p as qs,q as Ue,r as re,s as Ms,t as He,u as it,v as we,w as q,x as at,y as As}from"./shared2.js";import{$ as ws,A as Nt,D as T,E as oe,F as gs,G as Q,H as V,I as de,J as ve,K as L,M as $,N as A,O as x,P as v,Q as ys,R as C,S as Pe,T as bs,W as vs,Y as Fe,_ as ks,a as be,aa as _s,c as _,d as U,e as ms,ea as H,f as P,g as X,ha as Oe,i,ia as xs,j as I,ja as j,ka as fe,la as z,qa as st,ra as Ss,sa as nt,ta as Os,u as hs,v as O,wa as Te,y as ce}from"./shared1.js";var Zs={};be(Zs,{default:()=>Js});function Bt(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[a,u]=t.get(n)??[0,0];t.set(n,[a+o,u+r])}return t}function Ut(e,t,s,n=1){let o=Math.floor(t/s),r=[],a=[];for(let u=0;u<288;u++){let[l,d]=e.get((o-288+1+u)*s)??[0,0];if(l===0&&a.push(`M${u} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/l/n),f=Math.round(Math.max(12,100*c));r.push(`M${u} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:a.join("")}}function Us(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function Ht(e,t,s){let o=1-((Math.floor(t/s)+1)*s-e)/(288*s);return o<0?void 0:100*o}var Tr=6,jt=36e5;function Ks({health:e}){let{cell_ms:t,changes:s,reading:n,since:o,targets:r}=e,a=Date.parse(e.at),u=Bt(r.map(({cells:c})=>c)),l=Us(u),d=Date.parse(o);return i`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, 24 h</h2>
        <span class="faint small">
          5 min a cell, this process${Ar(d,a,n)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${Hs}
          class="tall"
          label=${`All targets: ${js(u)}`}
          paths=${Ut(u,a,t,l)}
          top=${l}
        >
          ${s.map(({kind:c,text:f,time:p},m)=>i`
              <${qr} key=${m} kind=${c} text=${`${f}, ${pe(p,a)}`}
                at=${Ht(Date.parse(p),a,t)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${Cr(r).map(({name:c,own:f,worst:p})=>{let m=Bt(f.map(({cells:h})=>h)),g=Ws(f.map(h=>h.recent));return i`
            <div class="strip-name" key=${c}>
              <a class="clip" href="#/status" title=${c}>${c}</a>
              <${Te} state=${p.state} isShort=${!0} />
            </div>
            <${Hs} key=${`${c} strip`} label=${`${c}: ${js(m)}`}
              paths=${Ut(m,a,t)} />
            <div class="strip-end small" key=${`${c} now`}>${g.attempts===0?"no traffic":`${C(g.failures,g.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${Mr} end=${a} cellMs=${t} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function Cr(e){return[...new Set(Be(e).map(({provider:s})=>s))].slice(0,Tr).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:Be(n)[0]}})}function Hs({children:e,class:t="",label:s,paths:{failed:n,quiet:o},top:r}){return i`
    <div class=${`strip ${t}`} role="img" aria-label=${s}>
      ${r!==void 0&&i`<span class="strip-top">${C(r,1)}</span>`}
      <svg viewBox="0 0 288 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${o} />
        <path d=${n} />
      </svg>
      ${e}
    </div>
  `}function qr({kind:e,text:t,at:s}){return s===void 0?null:i`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function Mr({end:e,cellMs:t}){let s=[];for(let n=e-e%(6*jt);s.length<4;n-=6*jt)s.unshift(n);return i`
    <div class="strip-axis small faint" aria-hidden="true">
      ${s.map(n=>{let o=Ht(n,e,t);return o!==void 0&&o>3&&o<88&&i`
          <span key=${n} style=${{left:`${o}%`}}>${pe(new Date(n).toISOString(),e).slice(-5)}</span>
        `})}
      <span class="now">now</span>
    </div>
  `}function Ar(e,t,s){return s?"; the ledger is still being read":t-e<23*jt?`, begins at ${pe(new Date(e).toISOString(),t)}`:", from the ledger"}function js(e){let{attempts:t,failures:s}=Ws([...e.values()].map(([n,o])=>({attempts:n,failures:o})));return`${s} of ${t} attempts failed in 24 hours`}function Ws(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var Rr=5e3,Er=6e4,Xs=6e5,Vs=5;function Js(){let{hasAdmin:e}=K();return e?i`<${Lr} />`:i`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${rt} what="The overview is about all keys: it needs an admin key." />
      </div>
    `}function Gs(e,t){let s=D(e,[]);return ke(s.reload,t),s}function Lr(){let{data:e,error:t}=Gs(r=>O("/v1/admin/health",{signal:r}),Rr),{data:s}=Gs(Nr,Er);if(e===void 0)return i`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${t?i`<${T} error=${t} title="No health" />`:i`<${L} text="Reading the health of targets" />`}
      </div>
    `;let{text:n,title:o}=Cs(e);return i`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${o}</h1>
        <p class="soft">${n}</p>
      </header>
      <${Ir} health=${e} day=${s} />
      <${Ks} health=${e} />
      <div class="two">
        <${Dr} health=${e} />
        <${Fr} day=${s} />
      </div>
    </div>
  `}async function Nr(e){let t=I(),s=new Date(j(t,H())).toISOString(),n=new Date(t-Xs).toISOString(),[o,r,a]=await Promise.all([O(`/v1/admin/request_counts?${new URLSearchParams({from:n})}`,{signal:e}),O(`/v1/admin/usage?from=${encodeURIComponent(s)}&group_by=key,model&limit=1000`,{signal:e}),O(`/v1/admin/usage?from=${encodeURIComponent(s)}`,{signal:e})]);return{counts:o.data,keys:r.data,total:a.data[0]}}function Ir({health:e,day:t}){let s=t?.counts.reduce((r,{requests:a,errors:u})=>({requests:r.requests+a,errors:r.errors+u}),{requests:0,errors:0}),n=e.targets.filter(({recent:r})=>r.attempts>0).toSorted((r,a)=>a.recent.attempts-r.recent.attempts)[0],o=s!==void 0&&s.requests>0&&s.errors/s.requests>=.05;return i`
    <dl class="overview-figures">
      <${ct}
        label="Requests per minute"
        value=${s&&Pe(s.requests/(Xs/6e4))}
        note="mean of 10 min"
      />
      <${ct}
        label="Failed requests, 10 min"
        value=${s&&C(s.errors,s.requests)}
        note=${s&&`${$(s.errors)} of ${$(s.requests)}`}
        isBad=${o}
        href="#/requests?range=15m&status=error"
      />
      <${ct}
        label="Time to first content"
        value=${n?.first_content_ms==null?"\u2013":x(n.first_content_ms)}
        note=${n?.first_content_ms==null?"no answer in 10 min":`${n.provider}, usually ${x(n.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${ct}
        label="Spent today"
        value=${t&&v(t.total?.cost_usd??0)}
        note=${t&&`${$(t.total?.requests??0)} requests, ${H()}`}
        href="#/requests?range=24h&sort=cost_usd"
      />
    </dl>
  `}function ct({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return i`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:i`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function Dr({health:e}){let t=Date.parse(e.at),s=Be(e.targets);return i`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${_s(e.thresholds)}>How it is judged</span>
        <a class="small" href="#/status">Providers</a>
      </div>
      ${s.length===0?i`<p class="soft">Nothing: no target is failing, degraded, slow or silent.</p>`:i`
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
              ${s.slice(0,Vs).map(n=>{let{last_failure:o,provider:r,since:a,state:u,upstream:l}=n;return i`
                  <tr role="row" key=${`${r} ${l}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${l}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${l}</span>
                    </th>
                    <td role="cell">
                      <${Te} state=${u} />
                    </td>
                    <td role="cell" title=${a}>${a===null?"\u2013":pe(a,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?Fe(n,t):i`
                        <a
                          href=${Pr(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${Fe(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function Pr({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function Fr({day:e}){let t=Br(e?.keys??[]),s=e?.total?.cost_usd??0;return i`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive today</h2>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href="#/usage?range=24h&by=key">Usage</a>
      </div>
      ${t.length===0?i`<p class="soft">${e?"Nothing has been spent today.":"\u2026"}</p>`:i`
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
              ${t.map(({cost:n,key:o,model:r})=>i`
                  <tr key=${o}>
                    <th scope="row"><span class="clip" title=${o}>${o}</span></th>
                    <td><span class="clip soft" title=${r}>${r}</span></td>
                    <td class="number" title=${`$${n}`}>${ys(n,t[0].cost)}</td>
                    <td class="number">${C(n,s)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function Br(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,Vs)}var Ln={};be(Ln,{default:()=>En});function Ys(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function dt(e,t){qs(e,t,"text/csv")}var Ur=30*864e5,Hr=1e3;function ft(e){let[t,s]=_({}),n=P(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let u={from:new Date(Date.now()-Ur).toISOString(),group_by:r,limit:String(Hr)};try{let{data:l}=await O(F(e,"usage",u)),d=l.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var me=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),jr=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),Kr=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),Wr=new Set(["key","model","provider","tag","end_user"]),Gr=/^\d{1,15}(\.\d{1,9})?$/,Xr=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function Vr(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*Xr.get(n.toLowerCase())))}function Qs(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=Jr(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function Jr(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return Zr(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],a=jr.get(o.toLowerCase());if(a===void 0&&/^failed$/i.test(t))e.status="error";else if(a===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(a==="status")return Yr(e,r.toLowerCase());if(a==="path")return Qr(e,r.toLowerCase());e[a]=Wr.has(a)?zr(r,s(a)):r}}function Zr(e,t,s){let n=Kr.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!Gr.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=Vr(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function Yr(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function Qr(e,t){if(!me.has(t))return`A path is ${[...me.keys()].join(", ")}`;e.path=t}function zr(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function Kt(e){return Ue.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var ei=["key","model","provider","tag","end_user"],ti=["status:error","status:ok","status:429","cost>","ms>","session:"],si=200;function zs({filters:e,rows:t=[],session:s,opened:n,time:o}){let[r,a]=_(""),[u,l]=_(""),d=P(null),c=ft(s),f=q(e,n,o);U(()=>{a(""),l("")},[f]);let p=w=>location.hash=q(w,n,o),m=ei.filter(w=>w!=="key"||s.hasAdmin),g=w=>[...new Set([...ii(t,w),...c.of(w)])],h=w=>{w.preventDefault();let k=Qs(r,e,g);if(k.fault!==void 0)return l(k.fault);l(""),a(""),p(k.filters)},y=w=>{let k=Kt(e).at(-1);w.key==="Backspace"&&r===""&&k!==void 0?p({...e,[k.filter]:""}):w.key==="Escape"&&d.current.blur()},b=({target:{value:w}})=>{a(w);let k=/(?:^|\s)([a-z_]+):\S*$/.exec(w)?.[1]??"",S=k==="user"?"end_user":k;m.includes(S)&&c.load(S)};return i`
    <form class="filter-bar" role="search" aria-label="Filter the requests" onSubmit=${h}>
      <div class="filter-line">
        <${ce} name="search" />
        ${Kt(e).map(w=>i`<${ni} key=${w.filter} word=${w} onRemove=${()=>p({...e,[w.filter]:""})} />`)}
        <input
          ref=${d}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${u!==""?"true":void 0}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${!1}
          placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
          list="filter-words"
          value=${r}
          onInput=${b}
          onKeyDown=${y}
        />
        <datalist id="filter-words">
          ${ri(r,m,g).map(w=>i`<option key=${w} value=${w} />`)}
        </datalist>
        ${He(e)&&i`
          <a class="button quiet" href=${q({...we(e),sort:e.sort,order:e.order},n,o)}>Clear</a>
        `}
      </div>
      <p class="fault" id="filter-fault" role="status">${u}</p>
      <${oi} filters=${e} onChange=${p} />
    </form>
  `}function ni({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return i`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${ce} name="close" size=${10} />
      </button>
    </span>
  `}function oi({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...me].map(([n,o])=>["path",n,o])];return i`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let a=e[n]===o;return i`
          <button type="button" key=${o} aria-pressed=${String(a)}
            onClick=${()=>t({...e,[n]:a?"":o})}>
            ${o==="error"&&i`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function ri(e,t,s){let[,n,o]=/^(.*?)(\S*)$/s.exec(e),[,r,a]=/^([a-z_]+):(.*)$/.exec(o)??[],u=r==="user"?"end_user":r;return t.includes(u)?s(u).filter(d=>d.includes(a)).sort().slice(0,si).map(d=>`${n}${r}:${/\s/.test(d)?`"${d}"`:d}`):[...ti,...t.map(d=>`${d==="end_user"?"user":d}:`)].filter(d=>d.startsWith(o)).map(d=>n+d)}function ii(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var _e=[{id:"searches",title:"Searches",text:$},{id:"images",title:"Images",text:$},{id:"characters",title:"Characters spoken",text:$},{id:"seconds",title:"Audio",text:ai}];function pt(e){return _e.filter(({id:t})=>e.some(s=>s?.[t]>0))}function ai(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${$(Math.floor(t/60))} min ${t%60} s`}var en="abandoned";function Wt({error:e,status:t}){return e!==en&&((e??null)!==null||t>=400)}function ui({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function tn(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,a=n>0?`Waited ${x(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let u=e.saved_usd>0?`, which saved ${v(e.saved_usd)}`:"";return`${a}Answered by the cache${u}.`}return r===499?`${a}The client stopped after ${x(e.ms)}.`:s!==null?a+li(e):a+ci(e)}function li({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was asked: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${sn(o)}: ${n}.`}function ci(e){let{attempts:t=[]}=e,s=ui(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let l=t.find(d=>d!==s&&!Wt(d))?.provider??"the first target";return s.hedge?`${l} was slow; the hedge at ${n} won after ${x(o)}.`:`${n} answered after ${x(o)}; the hedge at ${l} was not used.`}let r=t.filter(Wt);if(r.length===0)return`Answered by ${n} after ${x(o)}.`;let a=[...new Set(r.map(u=>u.provider))];return a.every(u=>u===n)?`${n} answered after ${x(o)}, at attempt ${t.length}.`:`${sn(a)} failed (${r[0].error??r[0].status}); ${n} answered after ${x(o)}.`}function sn(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function nn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(a=>({kind:a.hedge?"hedge":"attempt",tone:a.error===en?"unused":Wt(a)?"bad":"good",start:a.started_ms,length:a.ms,attempt:a})).toSorted((a,u)=>a.start-u.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var di=1e6,fi=e=>_e.find(({id:t})=>t===e)?.title??e,pi=1e-9;function on(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(l,d,c)=>({name:l,amount:d,price:c,usd:d*c/di}),a=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...Object.entries(t.units??{}).map(([l,d])=>({name:fi(l),amount:e[l]??0,price:d,unit:l,usd:(e[l]??0)*d}))].filter(({amount:l})=>l>0),u=(e.cost_usd??0)-a.reduce((l,{usd:d})=>l+d,0);return e.cost_usd!=null&&Math.abs(u)>pi&&a.push({name:"Other attempts and rates",amount:null,price:null,usd:u}),a}function rn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&$i(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&x(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&v(e.saved_usd)],["Hedge",e.hedged&&`cost ${v(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&v(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"],["Agent",e.agent],["Started by agent",e.parent_agent]].filter(([,s])=>s)}function $i(e){return e>0?`saved ${v(e)}`:"yes"}function an({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":v(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var $t=499;function cn({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let a={id:t.sort||"time",isRising:t.order==="asc"},u=({id:c,isRising:f})=>r(c==="time"?{sort:"",order:""}:{sort:c,order:f?"asc":""}),l=X(()=>hi(n),[n,H()]),d=e.find(({id:c})=>c===s);return i`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${B}
      label="Requests"
      columns=${l}
      rows=${e}
      idOf=${un}
      hrefOf=${c=>q(t,c.id,c.time)}
      actionsOf=${c=>mi(c,t)}
      order=${a}
      onOrder=${u}
      current=${d&&un(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=q(t)}
    />
  `}function un({id:e,time:t}){return`${t} ${e}`}function mi(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:q({...we(t),[n]:e[n]})}];return[{text:"Open",href:q(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function hi(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:gi},{id:"status",title:"Status",card:"b",cell:t=>i`<${We} row=${t} />`},{id:"model",title:"Model",card:"a",cell:Gt("model")},{id:"provider",title:"Provider",panel:"hide",cell:Gt("provider")},...e?[{id:"key",title:"Key",panel:"hide",cell:Gt("key")}]:[],{id:"path",title:"Path",panel:"low",cell:yi},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:x},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:x},ln("input_tokens","In"),ln("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:bi}]}function ln(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>Xt(s)?s[e]:void 0,cell:s=>vi(s[e],Xt(s),s.usage_source==="estimated")}}function Xt({usage_source:e}){return e!=="none"}function gi(e){let t=e.path.map(s=>`, ${s}`).join("");return i`
    <span title=${`${J(e.time)}, ${e.id}`}>${$e(e.time)}</span>
    <span class="phone-only">, ${x(e.ms)}${t}</span>
  `}function Gt(e){return t=>t[e]==null?"\u2013":i`<${ve} text=${t[e]} />`}function yi({path:e}){return e.map(t=>i`<span key=${t} class="badge">${me.get(t)}</span>`)}function bi(e){return e.cost_usd==null?Xt(e)?i`<span class="faint">unknown</span>`:"\u2013":i`<span title=${`$${e.cost_usd}`}>${v(e.cost_usd)}</span>`}function We({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==$t&&(n>=400||s!=null),r=n===$t?"stopped":o?"failed":"ok",a=n===$t?"Stopped by the client":s??void 0;return i`
    <span class=${`st ${r}`} title=${a}>${n}</span>
    ${t&&n===$t&&i`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&i`<span class="error-code small"> ${s}</span>`}
  `}function vi(e,t,s){return t?s?i`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var dn=.8,ki=.1;function fn({row:e}){let t=nn(e),s=Math.max(ki,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return i`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?i`
              <${Vt}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${pn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:i`
              <${wi} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${Vt}
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
      ${n.length===0&&e.response_cache!=="hit"&&i`
        <p class="hint">No provider was asked.</p>
      `}
    </section>
  `}function wi({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:a,tone:u}=e,{provider:l,model:d,status:c,error:f,vendor_text:p}=n,m=an(n);return i`
    <${Vt}
      title=${i`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${l}</span>
        ${o==="hedge"&&i`<span class="soft">, the hedge</span>`}
      `}
      text=${pn(e)}
      start=${a}
      length=${r}
      total=${s}
      tone=${u}
    >
      <p class="row outcome">
        ${u==="unused"?i`<span class="badge">not used</span>`:i`
          <span class=${`badge ${u}`}>${c??"\u2013"}</span>
          ${f?i`<span class="error-code">${f}</span>`:"answered"}
        `}
        ${Si(n).map(g=>i`<span key=${g} class="soft wrap-anywhere">${g}</span>`)}
        ${m!==""&&i`<span class="faint">${m}</span>`}
      </p>
      ${p&&i`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function pn({length:e,start:t}){return t<1?x(e):`${x(e)}, after ${x(t)}`}var _i=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),xi=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function Si({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:a,sent_as:u})=>u===null?`sent again without ${a.join(", ")}`:`sent again with ${a.join(", ")} as ${u}`),n&&(xi.get(n)??n),o!=null&&!r&&`asked to wait ${x(o)}`,r?`then again after ${x(o)}`:_i.get(s)].filter(a=>a)}function Vt({title:e,text:t,start:s,length:n,total:o,tone:r,mark:a,children:u}){let l=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(dn,100*n/o);return i`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:l(Math.min(s,o*(1-dn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${a!=null&&i`<span class="mark" style=${{left:l(a)}}></span>`}
      </div>
      ${u}
    </li>
  `}function hn({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),a=t===null?{}:{time:t},u=F(s,`requests/${encodeURIComponent(e)}`,a),{data:l,error:d}=D(f=>O(u,{signal:f}),[u]),c=P(null);return U(()=>c.current.focus(),[]),i`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${$n} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${$n} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${q(n)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${ce} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${e}</code>
          <${Q} text=${e} label="Copy ID" />
        </p>
        <${T} error=${d} title="The request cannot be shown" />
        ${!l&&!d&&i`<${L} />`}
        ${l&&i`
          <p class="said">${tn(l)}</p>
          <${Oi} row=${l} filters=${n} />
          <${fn} row=${l} />
          <${Ti} row=${l} />
          <${qi} row=${l} />
          <${Ri} row=${l} filters=${n} />
          ${s.hasService&&l.model!==null&&Ai(l)&&i`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:l.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function Oi({row:e,filters:t}){return e.path.length===0?null:i`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>i`<a key=${s} class="badge" href=${q({...we(t),path:s})}>${me.get(s)}</a>`)}
    </p>
  `}function Ti({row:e}){let t=on(e);return t.length===0?null:i`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${Ce} label="Cost by line" class="cost-lines">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col" class="number">Amount</th>
            <th scope="col" class="number">Price</th>
            <th scope="col" class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          ${t.map(({amount:s,name:n,price:o,unit:r,usd:a})=>i`
              <tr key=${n}>
                <th scope="row">${n}</th>
                <td class="number">${s===null?"\u2013":Ci(s,r)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${bs(o)} per M`:Rs(r,o)}
                </td>
                <td class="number" title=${`$${a}`}>${v(a)}</td>
              </tr>
            `)}
          <tr>
            <th scope="row">Total</th>
            <td></td>
            <td></td>
            <td class="number"><strong>${e.cost_usd==null?"unknown":v(e.cost_usd)}</strong></td>
          </tr>
        </tbody>
        <//>
        </section>
  `}function Ci(e,t){return _e.find(({id:s})=>s===t)?.text(e)??$(e)}function qi({row:e}){let t=rn(e);return t.length===0?null:i`
    <section class="stack" aria-labelledby="route-title">
      <h3 id="route-title">Route</h3>
      <${oe} class="request-facts" facts=${t} />
    </section>
  `}function $n({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:i`
    <a class="button quiet icon" href=${q(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${ce} name=${s} />
    </a>
  `}var Mi=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function Ai({format:e}){return Mi.has(e)}function Ri({row:e,filters:t}){let s=e.usage_source!=="none",n=(r,a)=>i`
      <${Ei} key=${a} name=${r} value=${a} filters=${t} />
    `,o=[["Ended",J(e.time)],["Status",i`<${We} isLong=${!0} row=${e} />`],["Model",n("model",e.model)],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&i`<code class="wrap-anywhere">${e.upstream}</code>`],["Key",n("key",e.key)],["Tags",e.tags?.length>0&&e.tags.map(r=>n("tag",r))],["End user",e.end_user&&n("end_user",e.end_user)],["Session",e.session&&n("session",e.session)],["API",e.format],["Input",s&&mn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&mn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...pt([e]).map(({id:r,title:a,text:u})=>[a,u(e[r])]),["Usage",Li.get(e.usage_source)??e.usage_source],["Cost",s&&i`<${Dt} value=${e.cost_usd} format=${v} />`],["First token",e.first_token_ms!=null&&x(e.first_token_ms)],["Duration",x(e.ms)]];return i`
    <${oe} class="request-facts" facts=${o.filter(([,r])=>r)} />
  `}function Ei({name:e,value:t,filters:s}){if(t===null)return i`<${Dt} value=${t} />`;let n=q({...we(s),[e]:t});return i`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var Li=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function mn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function qe(e){let[t,s]=_(0);return ms(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function gn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),a=[];for(let u=r;u<Date.parse(s);u+=o)a.push({start:u,end:u+o,requests:0,errors:0});for(let{start:u,requests:l,errors:d}of e.flatMap(({data:c})=>c)){let c=a[Math.round((Date.parse(u)-r)/o)];c!==void 0&&(c.requests+=l,c.errors+=d)}return a}function yn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,a]=Ge(e),u=t.length-1;if(a-o<0||r-o>u)return null;let l=d=>Math.min(u,Math.max(0,d-o));return{anchor:l(e.anchor),focus:l(e.focus)}}function Ge({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function bn(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),a={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(a,t)||o<0)return;let u=a[t];return{anchor:s&&e!==null?e.anchor:u,focus:u}}function vn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function kn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function wn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Me=64,Ni=366*864e5;function xn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=_(null),a=yn(o,e),[{start:u,end:l}]=e,d=y=>r(y&&{...y,first:u,step:l-u}),c=a===null?e:Di(e,a),f={from:u,to:e.at(-1).end},p=y=>{let[b,w]=Ge(y);d(null),n(e[b].start,e[w].end)},m=()=>{let{from:y,to:b}=vn(f,I());n(y,b)},g=kn(e.reduce((y,{requests:b})=>Math.max(y,b),0)),h=s&&f.to-f.from<Ni/3;return i`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${Pi(c,a===null,t)}</b> <span class="faint small">${Es(e[0].end-u)} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${a!==null&&i`
            <button type="button" class="small" onClick=${()=>p(a)}>
              Show only this
            </button>
          `}
          ${h&&i`
            <button type="button" class="small quiet" onClick=${m}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${g.map(y=>i`<span key=${y}>${A(y)}</span>`)}
      </div>
        <${Ii}
          axis=${g}
          intervals=${e}
          selection=${a}
          onSelect=${d}
          onZoom=${p}
          onWiden=${h?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${je(f.from)}</span>
          <span>${je(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function Ii({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let a=P(null),u=qe(a),l=P(null),d=u/t.length,[c]=e,[f,p]=s===null?[-1,-2]:Ge(s),m=k=>{let S=k.clientX-a.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(S/d)))};return i`
    <div
      class="histogram-bars"
      ref=${a}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${k=>{if(k.button!==0)return;a.current.setPointerCapture(k.pointerId);let S=m(k);l.current={anchor:S,focus:S},n(l.current)}}
      onPointerMove=${k=>{l.current!==null&&(l.current={...l.current,focus:m(k)},n(l.current))}}
      onPointerUp=${()=>{let k=l.current;l.current=null,k!==null&&k.anchor!==k.focus&&o(k)}}
      onPointerCancel=${()=>{l.current=null,n(null)}}
      onKeyDown=${k=>{if(k.ctrlKey||k.metaKey||k.altKey)return;let S=bn(s,k,t.length);if(S!==void 0)n(S);else if(k.key==="Enter"&&s!==null)o(s);else if(k.key==="Escape"&&s!==null)n(null);else if(k.key==="-"&&r!==void 0)r();else return;k.preventDefault(),k.stopPropagation()}}
    >
      <svg width=${u} height=${Me} aria-hidden="true">
        ${f>=0&&i`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Me} />
        `}
        ${e.slice(0,-1).map((k,S)=>i`
            <line key=${k} class="grid-line" x1="0" x2=${u}
              y1=${Me*S/(e.length-1)+.5}
              y2=${Me*S/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${_n(t,c,d,!1)} />
        <path class="errors" d=${_n(t,c,d,!0)} />
      </svg>
    </div>
  `}function _n(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,a)=>{let{errors:u,others:l}=wn(r,t,Me),d=n?u:l;if(d===0)return"";let c=Me-u-(n?0:l);return`M${(a*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function Di(e,t){let[s,n]=Ge(t);return e.slice(s,n+1)}function Pi(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],a=o===1?"request":"requests",u=[`${s?"":"\u2265 "}${$(o)} ${a}`,`${$(r)} failed`];if(t)return u.join(", ");let[l,d]=[e[0].start,e.at(-1).end];return`${u.join(", ")} from ${je(l)} to ${je(d)}`}var Ae={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function Jt({data:e,next:t}){return{...Ae,isLoading:!1,rows:e,next:t}}function Zt(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function On(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Sn)),n=t.data.filter(a=>!s.has(Sn(a)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return Jt(t);let r=[...n,...e.rows].sort((a,u)=>a.time<u.time?1:a.time>u.time?-1:0);return{...e,rows:r,moreError:void 0}}function Tn(e,{data:t,next:s},{sort:n,order:o},r){let a=o==="asc"?1:-1,u=[...e.rows??[],...t].sort((l,d)=>a*(l[n]-d[n])).slice(0,r);return{...Ae,isLoading:!1,isSorting:s!==null,rows:u}}function Sn({id:e,time:t}){return`${t} ${e}`}var mt=50,Xe=200,Fi=2e3,Bi=1e4,Ui=30,Hi=30,Cn=50,qn=1e3,ht=Cn*qn;function Mn(e,t,s){let[n,o]=_(0),[r,a]=_(Ae),u=`${q(t)} ${H()}`,l=[e.hasAdmin,u,n],d=Ts(l),c=P(void 0);U(()=>{let h=new AbortController;c.current=at(t,I(),H()),c.current.set("limit",String(mt)),a(w=>({...w,isLoading:!0}));let{signal:y}=h;return(t.sort===""?ji(e,c.current,y,a):Ki(e,t,c.current,y,a)).then(w=>y.aborted||a(w),w=>y.aborted||a(({rows:k})=>({...Ae,...w.isPassing&&{rows:k},isLoading:!1,error:w}))),()=>h.abort()},l);let f=P(new AbortController);U(()=>{let h=new AbortController;return f.current=h,()=>h.abort()},[...l,s]),ke(async()=>{let{signal:h}=f.current;try{let y=await Ve(e,c.current,void 0,h);h.aborted||a(b=>On(b,y))}catch(y){h.aborted||a(b=>({...b,moreError:y}))}},Fi,s);let m=async()=>{let h=c.current;a(y=>({...y,isLoadingMore:!0,moreError:void 0}));try{let y=0,{next:b}=r;for(;y<mt&&b!==null&&c.current===h;){let w=await Ve(e,h,b);if(c.current!==h)return;y+=w.data.length,{next:b}=w;let k=y>=mt||b===null;a(S=>({...Zt(S,w),isLoadingMore:!k}))}}catch(y){if(c.current!==h)return;a(b=>({...b,isLoadingMore:!1,moreError:y}))}},g=()=>o(h=>h+1);return It(r.error,g),{...r,isLoading:r.isLoading||d,loadMore:m,reload:g}}async function ji(e,t,s,n){let o=Jt(await Ve(e,t,void 0,s));for(;o.rows.length<mt&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=Zt(o,await Ve(e,t,o.next,s));return o}async function Ki(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(Xe)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let a=Ae,u;for(let l=0;u!==null&&l<Hi;l++){let d=await Ve(e,r,u,n);a=Tn(a,d,t,Xe),n.aborted||o(a),u=d.next}return a}function Ve(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),O(F(e,"requests",o),n&&{signal:n})}function An(e,t,s){let[n,o]=_({pages:void 0,isComplete:!1,error:void 0}),[r,a]=_(0),u=`${q(t)} ${H()}`;U(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=I(),m=at(t,p,H());m.has("to")||m.set("to",new Date(p).toISOString());let g=[];for(let h="";h!==null&&g.length<Ui;){h!==""&&m.set("before",h);let y=await O(F(e,"request_counts",m),{signal:c});if(c.aborted)return;g.push(y),{next:h}=y,o({pages:[...g],isComplete:h===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,u,r]);let l=()=>a(d=>d+1);return ke(l,Bi,s),It(n.error,l),{...n,recount:l}}async function Rn(e,t){let s=at(t,I(),H());s.set("format","csv"),s.set("limit",String(qn));let n=[],o;do{o&&s.set("before",o);let r=await hs(F(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<Cn);return{text:Ys(n),hasMore:o!==null}}function En({route:e}){let t=K(),s=Ms(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=As(s,I(),H()),a=s.range==="custom",[u,l]=_(!1),d=r&&s.sort==="",c=u&&d,f=Mn(t,s,c),p=An(t,s,c),m=h=>location.hash=q(h,n,o),g=()=>{f.reload(),p.recount()};return i`
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
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${g}
          disabled=${f.isLoading}>Refresh</button>
        <${Vi} session=${t} filters=${s} counts=${p} />
      <//>
      <${zs}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&i`
        <${xn}
          intervals=${gn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${a}
          onZoom=${(h,y)=>m(it(s,h,y))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${Wi}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${h=>m({...s,...h})}
          />
        </div>
        ${n&&i`
          <${hn}
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
  `}function Wi({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:a,moreError:u,isLoading:l,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?a?null:i`<${L} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!l?i`<${Xi} filters=${t} />`:i`
    <div class=${`stack ${l?"stale":""}`}>
      <${cn} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${l?"":Gi(t,e)} />
    </div>
    <${T} error=${u} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&i`
        <button type="button" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":He(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function Gi({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=e==="cost_usd"||e==="first_token_ms"?" Requests without this value are left out.":"";return t.length<Xe?`All requests of this time and these filters.${n}`:`The first ${Xe} in this order, of all requests of this time and these filters.${n}`}function Xi({filters:e}){let t={...e,range:"90d",from:"",to:""};return i`
    <div class="card empty stack">
      <p>
        ${He(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&i`
        <p><a class="button" href=${q(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function Vi({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=_({}),a=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await Rn(e,t);dt("requests.csv",c);let p=f&&new Error("The file has only the newest: choose a shorter time");r({error:p})}catch(c){r({error:c})}},u=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),l=u>ht,d=l?`newest ${$(ht)} rows`:`${$(u)} rows`;return i`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${a}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(ht)} requests`}
    >${s||l?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var Un={};be(Un,{default:()=>Fn});function Nn(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function In(e){let t=l=>e.reduce((d,c)=>d+(c[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,a=t("input_tokens"),u=e.length===1?"request":"requests";return{title:`${$(e.length)} ${u} in ${ws(o)}; ${r}, ${Ji(e)}`,text:a===0?"No input tokens are known.":`${C(t("cached_input_tokens"),a)} of ${$(a)} input tokens came from the prompt cache.`}}function Ji(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${v(s)}`}var Pn=1e3,Zi=200,Yi=5;function Fn({route:e}){let t=K(),s=e.path[0],n=H(),o=st(e.query),r=[t.hasAdmin,o.range,o.from,o.to,n],a=X(()=>Qi(o,n),r),{data:u,error:l,isLoading:d}=D(c=>zi(t,a,c),r);return i`
    <div class="view" data-view="sessions">
      <${ee}
        title="Sessions"
        note="Requests that clients have put together by a session ID, such as those of one agent."
      />
      <${T} error=${l} title="The sessions cannot be listed" />
      ${u===void 0&&!l&&i`<${L} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${u!==void 0&&i`
          <div class=${`list stack ${d?"stale":""}`}>
            <${sa} sessions=${u} opened=${s} />
          </div>
        `}
        ${s!==void 0&&i`
          <${oa} key=${s} id=${s} session=${t} times=${a} />
        `}
      </div>
    </div>
  `}function Qi(e,t){let{from:s,isOpen:n,to:o}=nt(e,I(),t),r=a=>new Date(a).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function zi(e,t,s){let n={...t,group_by:"session",limit:String(Pn)},{data:o}=await O(F(e,"usage",n),{signal:s});return o.filter(r=>r.session!==null)}function Dn(e){return`#/sessions/${encodeURIComponent(e)}`}function ie(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var ea=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ie("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),ie("errors","Failed",({errors:e})=>e>0?e:void 0,$),ie("input","Input",e=>e.input_tokens,A,{hint:"Input tokens",panel:"hide"}),ie("cached","Cached",ta,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ie("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ie("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,v,{hint:"What caches have saved",panel:"hide"}),ie("cost","Cost",e=>e.cost_usd,(e,t)=>i`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${v(e)}</span>`,{card:"b"})];function ta(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function sa({sessions:e,opened:t}){return e.length===0?i`
      <p class="card empty">
        No session in this time. A client names one by the header <code>x-sluice-session</code>.
      </p>
    `:i`
    <${B}
      label="Sessions"
      columns=${ea}
      rows=${e}
      idOf=${s=>s.session}
      hrefOf=${s=>Dn(s.session)}
      actionsOf=${s=>[{text:"Open",href:Dn(s.session)},{text:"Its requests",href:q({...re,session:s.session})},{text:"Copy the ID",copy:s.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${t}
      hasPanel=${t!==void 0}
      onClose=${t===void 0?void 0:Bn}
    />
    <p class="faint small" role="status">
      ${e.length===1?"1 session":`${$(e.length)} ${e.length===Pn?"or more ":""}sessions`}
    </p>
  `}function Bn(){location.hash="#/sessions"}async function na(e,t,s,n){let o=[],r;for(let a=0;a<Yi&&r!==null;a++){let u={...s,session:t,limit:String(Zi),...r&&{before:r}},{data:l,next:d}=await O(F(e,"requests",u),{signal:n});o.push(...l),r=d}return{turns:Nn(o),hasMore:r!==null}}function oa({id:e,session:t,times:s}){let{data:n,error:o}=D(r=>na(t,e,s,r),[e,s]);return i`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ve} text=${e} />
        </h2>
        <${gs} icon="close" label="Close the session" onClick=${Bn} />
      </header>
      <div class="stack padded">
        <${T} error=${o} title="The session cannot be shown" />
        ${!n&&!o&&i`<${L} />`}
        ${n?.turns.length===0&&i`<p>This session has no request in this time.</p>`}
        ${n?.turns.length>0&&i`<${ra} ...${n} />`}
      </div>
    </section>
  `}function ra({turns:e,hasMore:t}){let{text:s,title:n}=In(e),o=X(()=>ia(e),[e]),r=e.findLast(a=>a.agent)?.agent;return i`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&i`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${B} label="Requests of the session" columns=${o} rows=${e}
      idOf=${a=>`${a.time} ${a.id}`}
      hrefOf=${a=>q(re,a.id,a.time)}
      order=${{id:"number",isRising:!0}} />
  `}function ia(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>i`<span title=${J(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>i`
          ${s.hasMoved&&i`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":i`<${ve} text=${s.provider} />`}
          ${s.status>=400&&i`
            <${We} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>i`<${aa} turn=${s} most=${t} />`},ie("first","First",s=>s.first_token_ms,x,{hint:"Time to first content"}),ie("cost","Cost",s=>s.cost_usd,v,{card:"d"})]}function aa({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return i`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${A(t)}
    </span>
  `}var eo={};be(eo,{default:()=>zn});var ua=3e3;function Hn({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:a}=D(l=>O(n,{signal:l}),[n]);ke(a,ua);let u=o?.data.find(l=>l.id===e);return i`
    <${V} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&i`<${L} />`}
        ${o&&!u&&i`<p>This provider is no longer configured.</p>`}
        ${u&&i`<${la} provider=${u} />`}
      </div>
      <//>
  `}function la({provider:e}){let t=Qt(e,"breakers"),s=Qt(e,"learned_rejections");return i`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${fa(e)}</span>
      ${e.workers?.length>1&&i`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${Yt}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:a,tries_again_in_ms:u})=>[zt(o,n),i`<${ut} state=${r} />`,a,u===void 0?"\u2013":`in ${x(u)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${ca} provider=${e} />
    <h3>Learned rejections</h3>
    <${Yt}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[zt(o,n),i`<span class="mono wrap-anywhere">${pa(r)}</span>`])}
      empty="None."
    />
  `}function ca({provider:e}){let t=Qt(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?i`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:i`
    <${Yt}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:a})=>[zt(da(e,n),s),o??"all",r,`in ${x(a)}`])}
      empty="None."
    />
  `}function Yt({label:e,columns:t,rows:s,empty:n}){return s.length===0?i`<p class="soft">${n}</p>`:i`
    <${Ce} label=${e}>
      <thead>
        <tr>${t.map(o=>i`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>i`
            <tr key=${r}>${o.map((a,u)=>i`<td key=${u}>${a}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function Qt({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function zt(e,t){return i`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&i`<span class="faint small"> worker ${t}</span>`}
  `}function da({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function fa({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function pa(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="string"?s:JSON.stringify(s)}`).join(", ")}var $a=[...Pt.keys()],Kn={id:"state",isRising:!0};function Wn({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,a]=_(null),u=X(()=>ga(s),[s]);if(e.length===0)return i`<p class="card empty">No provider is enabled.</p>`;let l=({id:c})=>[{text:"Breakers and keys",href:jn(c)},{text:"Its requests",href:q({...re,provider:c})},{text:"Its failures",href:q({...re,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>a(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return i`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&i`
          <span class="faint small">Attempts and durations since ${$e(t)}</span>
        `}
      </div>
      <${B} label="Providers" columns=${u} rows=${Ft(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>jn(c)} actionsOf=${l}
        order=${Kn} current=${o} />
    </section>
    ${o!==void 0&&i`
      <${Hn} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&i`<${ba} id=${r} onClose=${()=>a(null)} />`}
  `}function jn(e){return`#/status/${encodeURIComponent(e)}`}function Gn(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>$a.indexOf(t),cell:({state:t})=>i`<${ma} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>vs(s)||s==="ok"?t?.since:void 0,text:t=>i`<span title=${J(t)}>${pe(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>Xn(t,e),cell:t=>i`<${ha} entry=${t} now=${e} />`}]}function ma({state:e}){return e==="limited"?i`<span class="st slow">${Pt.get(e).text}</span>`:i`<${Te} state=${e} />`}function Xn({health:e,last_failure:t},s){let n=e==null?"":Fe(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${Is(t)}, ${ks(t.time,s)}`;return o===""?r:`${o}; ${r}`}function ha({entry:e,now:t}){let{last_failure:s}=e,n=Xn(e,t);if(!s)return i`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return i`<a class="failure" href=${q(re,o,r)} title=${n}>${n}</a>`}function ga(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},...Gn(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>i`<${ya} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},...Vn(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that succeeded after all"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:x},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:x},Jn(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function Vn(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function Jn(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>i`
        ${e==="closed"?i`<span class="faint">Closed</span>`:i`<${ut} state=${e} />`}
          ${t>0&&i`<span class="faint small"> tries again in ${x(t)}</span>`}
      `}}function ya({history:e}){let t=Ds(e);return i`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>i`<span key=${n} class=${Ps(s)??"none"}></span>`)}
    </span>
  `}function ba({id:e,onClose:t}){let[s,n]=_({}),o=async()=>{n({isBusy:!0});let l=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await O(l,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:a,isBusy:u}=s;return i`
    <${V} title=${`Reset ${e}`} onClose=${t} class="narrow">
      <div class="stack">
        ${r===void 0?i`<p>
            This closes the circuit breakers, resumes the suspended keys and forgets the learned
            rejections of <code>${e}</code>, in every worker.
          </p>`:i`<p role="status">
            Cleared: ${r.breakers} breakers, ${r.suspended_keys} suspended keys,
            ${" "}${r.learned_rejections} learned rejections.
          </p>`}
        <${T} error=${a} title="Not reset" />
        <div class="row end">
          <button type="button" onClick=${t}>${r?"Close":"Cancel"}</button>
          ${!r&&i`
            <button type="button" class="primary" onClick=${o} disabled=${u}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function Zn({models:e,now:t}){let s=X(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>i`<${ve} text=${n} />`},...Gn(t),...Vn(),Jn()],[t]);return e.length===0?null:i`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${B} label="Targets" columns=${s} rows=${Ft(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${Kn} />
    </section>
  `}var va=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>i`<span title=${e}>${e}</span>`}];function Yn({providers:e}){return e.length===0?null:i`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${B} label="Disabled providers" columns=${va} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var es=120,Re=26,Qn=60;function gt({values:e,tone:t=""}){let s=Math.max(1,...e),n=Qn-e.length,o=a=>((n+a)/(Qn-1)*es).toFixed(1),r=e.map((a,u)=>{let l=Re-1-a/s*(Re-3);return`${o(u)},${l.toFixed(1)}`}).join(" ");return i`
    <svg
      class=${`sparkline ${t}`}
      height=${Re}
      viewBox=${`0 0 ${es} ${Re}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Re} ${r} ${es},${Re}`}
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
  `}var ka=.05;function zn({route:e}){let t=K(),{state:s,history:n,isLive:o,error:r}=Fs(F(t,"live")),a=t.hasAdmin?"All providers of this gateway.":"The providers of the models that your key may use.";return i`
    <div class="view" data-view="status">
      <${ee} title=${s===void 0?"Providers":Ls(s)} note=${a}>
        <${xa} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&i`<${L} text="Connecting" />`:i`
        <${wa} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function wa({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(u=>u.enabled),r=e.providers.filter(u=>!u.enabled),a=Date.parse(e.at);return i`
    <${_a} state=${e} now=${a} />
    <${Oa} config=${e.config} />
    <${Sa} state=${e} history=${t} enabled=${o.length} />
    <${Wn} providers=${o} since=${e.since} now=${a} hasAdmin=${s}
      opened=${n} />
    <${Zn} models=${e.models??[]} now=${a} />
    <${Yn} providers=${r} />
  `}function _a({state:e,now:t}){let s=Ns(e,t);return s.length===0?null:i`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>i`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function xa({isLive:e,state:t,error:s}){return e?i`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${$e(t.at)}</time>
      </span>
    `:i`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&i`<time class="faint mono">last at ${$e(t.at)}</time>`}
    </span>
  `}function Sa({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:a,config:u}=e,l=o>0?r/o:0;return i`
    <dl class="figure-grid card live">
      <${N} label="In flight" value=${$(n)}>
        <${gt} values=${t.map(d=>d.in_flight)} />
        <//>
        <${N} label="Requests per second" value=${Pe(o)}>
          <${gt} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${N}
            label="Errors per second"
            value=${Pe(r)}
            note=${l>0?`${C(l,1)} of requests`:""}
            tone=${l>=ka?"bad":""}
          >
        <${gt} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${N}
        label="Providers enabled"
        value=${`${s} of ${a.length}`}
      />
      ${u&&i`
        <${N}
          label="Configuration"
          value=${u.valid?"Valid":"Stale"}
          tone=${u.valid?"":"warn"}
          note=${u.loaded_at&&`loaded ${$e(u.loaded_at)}`}
        />
      `}
    </dl>
  `}function Oa({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return i`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${J(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&i`<p>${n}</p>`}
      ${t.length>0&&i`
        <ul class="faults mono">
          ${t.map((o,r)=>i`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var Go={};be(Go,{default:()=>Wo});var yt=36e5,Ta=48*yt,Ca="month",ae=["key","team","owner","model","provider","tag","end_user"],qa=["requests","errors","tokens","cost","latency"],Je={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(ae.map(e=>[e,""]))};function bt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=ae.includes(t)?t:Je.by;return{...st(e,Ca),by:o,then:ae.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:qa.includes(s)?s:Je.show,tab:e.get("tab")==="bill"?"bill":Je.tab,...Object.fromEntries(ae.map(r=>[r,e.get(r)??""]))}}function Ee(e){return Object.fromEntries(ae.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Le(e,t="usage"){let s=new URLSearchParams;Ss(s,e);for(let n of Object.keys(Je))e[n]!==Je[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function Ze(e,t,s){let{from:n,isOpen:o,to:r}=nt(e,t,s),a=r-n<=Ta?"hour":"day",u=[],l=a==="hour"?n-n%yt:j(n,s);for(;l<r;)u.push(l),l=a==="hour"?l+yt:j(l,s,1);return{from:Math.min(n,u[0]??n),to:r,end:l,isOpen:o,unit:a,zone:s,starts:u}}function to(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:z(e,s)}function so(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?j(s-1,n):s;if(r<=t)return;let a=Math.round((r-t)/(24*yt)),l=e.range==="month"||e.range==="last-month"?fe(t,n,-1):j(t,n,-a),d=j(l,n,a);return{now:{from:t,to:r},before:{from:l,to:Math.min(d,t)}}}function vt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var no=5,ts=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:A,isWhole:!0},{id:"cost",name:"Cost",of:R,format:v,isWhole:!1},{id:"latency",name:"Duration",format:Ma,isWhole:!1,isLines:!0}];function Ma(e){return e===0?"0":x(e)}function io(e){return ts.find(t=>t.id===e)}function R({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function W(e){if(e===void 0)return v(0);let t=R(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${v(t)}`:v(t)}function ao(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function uo(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function lo(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((a,u)=>a+u.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=Ye(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${W(r)}, all requests are ${$(e.requests)} and ${W(e)}.`}function ue(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function co(e,t,{by:s,show:n}){let{unit:o}=t,r=io(n),{times:a,positions:u}=po(t),l=new Map;for(let g of e){let h=u.get(g[o]);if(h===void 0)continue;let y=g[s]??null,b=l.get(y);b===void 0&&(b={name:ue(y,s),values:a.map(()=>0),sums:Ye()},l.set(y,b)),b.values[h]=r.of(g),b.sums=Ye(b.sums,g)}let d=({sums:g})=>r.of(g)??-1,c=[...l.values()].sort((g,h)=>d(h)-d(g)),f=c.slice(0,no).map(g=>ro(g,r)),p=c.slice(no),m=Ye(...c.map(({sums:g})=>g));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:$o(a,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,ro(Aa(p),r,!0)]}}function fo(e,t,s){let{times:n,positions:o}=po(t),r=oo.map(({name:a,member:u})=>({name:a,isOther:!1,isPartial:!1,total:s?.[u]??null,values:n.map(()=>null)}));for(let a of e){let u=o.get(a[t.unit]);u!==void 0&&oo.forEach(({member:l},d)=>r[d].values[u]=a[l]??null)}return{metric:io("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:$o(n,t),unpriced:0,series:r}}var oo=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function po(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[to(n,e),o]));return{times:t,positions:s}}function $o(e,{zone:t}){return e.map(s=>(s+xs(s,t))/1e3)}function ss(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function ro({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function Aa(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>Ea(e.map(n=>n.values[s]))),sums:Ye(...e.map(({sums:t})=>t))}}var Ra=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function Ye(...e){return Object.fromEntries(Ra.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function Ea(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var La=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>ue(e.provider,"provider")},{id:"cost",title:"Cost",of:R,cell:W,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:v},{id:"share",title:"Of its cost",isNumber:!0,of:e=>R(e)?e.unused_cost_usd/R(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:A,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:A,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:A,isNumber:!0}];function mo({entries:e,total:t}){let s=t?.unused_cost_usd??0;return i`
    <p>
      ${s>0?i`<strong>${v(s)}</strong> was paid for answers that were not used, ${C(s,R(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${B} label="Cost by provider" columns=${La} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var Na="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),ho={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function go(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),a=Array(n).fill(0),u=l=>s.top+s.height*(1-l/t);return e.map(({values:l})=>l.map((c,f)=>{if(!c)return"";let p=a[f];a[f]+=c;let m=s.left+o*(f+.5)-r/2,g=u(a[f]);return`M${le(m)} ${le(g)}h${le(r)}V${le(u(p))}h${le(-r)}z`}).join(""))}function yo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,a)=>{if(r===null)return"";let u=le(s.left+n*(a+.5)),l=le(s.top+s.height*(1-r/t));return(o[a-1]??null)===null?`M${u} ${l}h0`:`L${u} ${l}`}).join(""))}var kt={height:240,left:64,right:8,top:14,bottom:26};function bo({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:a,height:u,left:l,top:d}=kt,c=s.at(-1),f=ns([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-kt.right,g=b=>le(l+(m-l)*(b-e)/(t-e)),h=b=>le(d+(u-d-a)*(1-b/p)),y=`M${g(c.time)} ${h(c.usd)}`;return{ticks:f,x:g,y:h,right:m,spent:s.map(({time:b,usd:w},k)=>`${k===0?"M":"L"}${g(b)} ${h(w)}`).join(""),band:n&&`${y}L${m} ${h(n.high)}V${h(n.low)}z`,line:n&&`${y}L${m} ${h(n.usd)}`,budget:o===void 0?void 0:`M${l} ${h(o)}H${m}`}}function ns(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),a=[1,2,5,10].find(d=>o/(d*r)<=5)??10,u=t?Math.max(1,a*r):a*r,l=Math.ceil(o/u-1e-9);return Array.from({length:l+1},(d,c)=>Number((c*u).toPrecision(12)))}function vo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=ho[t].find(r=>e.length/r<=n)??ho[t].at(-1);return e.flatMap((r,a)=>(t==="hour"?new Date(r*1e3).getUTCHours():a)%o===0?[{index:a,text:Ia(r,t)}]:[])}function Ia(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${Na[s.getUTCMonth()]}`}function os(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function le(e){return Math.round(e*10)/10}var wt=240,he=64,ko=8,_t=10,Da=26,Pa=48;function wo({chart:e,linkOf:t}){let[s,n]=_(null),{isOpen:o,metric:r,unit:a,times:u,series:l,unpriced:d,zone:c}=e,f=s!==null&&s<u.length?s:null;return i`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${a}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&a==="day"?"; today is not over":""}`:`${os(u[f],a)} ${c}`}
        </span>
      </figcaption>
      <${Fa} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${l.map(({name:p,values:m,isOther:g,...h},y)=>i`
            <li key=${`${y}${p}`}>
              <span class=${`swatch ${xo(g,y)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?_o(h,r):rs(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&i`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Ba} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function Fa({chart:e,hovered:t,onHover:s,linkOf:n}){let o=P(null),r=qe(o),{isOpen:a,metric:u,unit:l,times:d,series:c}=e,f={left:he,top:_t,width:r-he-ko,height:wt-_t-Da},p=f.width/d.length,m=ns(c,u),g=u.isLines?yo:go,h=r===0?[]:g(c,m.at(-1),f),y=k=>f.top+f.height*(1-k/m.at(-1)),b=k=>{let S=k.clientX-o.current.getBoundingClientRect().left-he,E=Math.floor(S/p);s(E>=0&&E<d.length?E:null)},w=`${u.name} per ${l}: ${c.map(({name:k,...S})=>`${k} ${_o(S,u)}`).join(", ")}`;return i`
    <div
      class=${u.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a time"
      onPointerMove=${b}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${wt}
        viewBox=${`0 0 ${r} ${wt}`}
        role="img"
        aria-label=${w}
      >
        ${t!==null&&i`
          <rect
            class="hovered"
            x=${he+t*p}
            y=${_t}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(k=>i`
            <g key=${k}>
              <line class="grid" x1=${he} x2=${r-ko} y1=${y(k)} y2=${y(k)} />
              <text x=${he-8} y=${y(k)+4} text-anchor="end">${u.format(k)}</text>
            </g>
          `)}
        ${h.map((k,S)=>i`<path key=${S} class=${xo(c[S].isOther,S)} d=${k} />`)}
        ${a&&!u.isLines&&r>0&&i`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${he+(d.length-1)*p} y=${_t} width=${p}
            height=${f.height} />
        `}
        ${r>0&&vo(d,l,f.width).map(({index:k,text:S})=>i`
            <text
              key=${k}
              x=${he+(k+.5)*p}
              y=${wt-8}
              text-anchor=${(d.length-k-.5)*p<Pa/2?"end":"middle"}
            >${S}</text>
          `)}
      </svg>
    </div>
  `}function rs(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function _o({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${rs(e,s)}`}function xo(e,t){return e?"series-other":`series-${t+1}`}function Ba({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[a,u]=_(!1);return i`
    <details onToggle=${l=>u(l.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${a&&i`
        <${Ce} label=${`${s.name} per ${n}`}>
          <thead>
            <tr>
              <th scope="col">Time, ${r}</th>
              ${t.map(({name:l},d)=>i`<th key=${d} scope="col" class="number">${l}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${e.map((l,d)=>i`
                <tr key=${l}>
                  <th scope="row" class="name">
                    <a href=${o(d)}>${os(l,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>i`
                      <td key=${f} class="number">${rs(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var Oo=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function is({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(a=>a);return`usage_${[z(t,n),z(s-1,n),...r].join("_")}.csv`}function To({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(u=>u),a=[[...r,...Oo]];for(let u of t??s)a.push([...r.map(l=>ue(u[l],l)),...So(u)]);return a.push([...r.map((u,l)=>l===0?"Total":""),...So(o??{})]),a.map(u=>u.map(Ua).join(",")+`
`).join("")}function So(e){return Oo.map(t=>e[t]??(t==="cost_usd"?"":0))}function Ua(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function Co({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return i`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${is(e)}
      onClick=${()=>dt(is(e),To(e))}>CSV, ${s}</button>
  `}var Ha={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function qo({choice:e,session:t,onChange:s}){let[n,o]=_(e),r=ft(t),a=ae.map(c=>e[c]).join(`
`);U(()=>o(e),[a]);let u=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&ja(c,e)})},l=new Set(["key","team","owner"]),d=ae.filter(c=>!l.has(c)||t.hasAdmin);return i`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>i`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${Ha[c]}</label>
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
              ${r.of(c).map(f=>i`<option key=${f} value=${f} />`)}
            </datalist>
          </div>
        `)}
      ${a.trim()!==""&&i`
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(ae.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function ja(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}var Ka=864e5,Wa=7,Ga=3;function Ao({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=j(s,n),a=[];for(let p=1;p<=Wa;p++){let m=j(r,n,-p);if(m<o)break;a.push(t.get(z(m,n))??0)}if(a.length<Ga)return;let l=(fe(s,n,1)-s)/Ka,d=a.toSorted((p,m)=>p-m),c=a.reduce((p,m)=>p+m,0)/a.length,f=p=>e+p*l;return{usd:f(c),low:f(Mo(d,.1)),high:f(Mo(d,.9)),mean:c,left:l,days:a.length}}function Ro({spent:e,costs:t,now:s,zone:n}){let[o,r]=[fe(s,n),fe(s,n,1)],a=[{time:o,usd:0}];for(let u=o;u<j(s,n);){let l=a.at(-1).usd+(t.get(z(u,n))??0);u=j(u,n,1),a.push({time:u,usd:l})}return{start:o,end:r,points:[...a,{time:s,usd:e}]}}function Eo(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(a=>s[a]===""||r[a]===s[a])&&(s.key===""||r.name===s.key)).map(({budget:r,name:a})=>[a,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,a)=>r+a,0)}function Mo(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function Lo(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:a,spent:u,unpriced:l,zone:d}=e;if(a===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=u??0,f=l>0?"at least ":"";if(!n)return{title:`${r}: ${u===null?"an unknown cost":`${f}${v(c)}`}`,text:`${$(a)} requests.`};let p=Oe(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${v(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,g=t===void 0?"":m>0?`, ${G(m)} over the budgets`:`, ${G(-m)} under the budgets`;return{title:`${p} will end near ${f}${G(s.usd)}${g}`,text:`${v(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${v(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${G(s.low)} and ${G(s.high)}.`}}function G(e){return e<100?v(e):`$${$(Number(e.toPrecision(3)))}`}var Xa=new Set(["(other)","(unreadable)"]);function No(e,{from:t,to:s},n={}){let o=Object.entries(Ee(e)).filter(([r])=>Ue.includes(r));return q(it({...re,...Object.fromEntries(o),...n},t,s))}function as(e,t,s,n,o=""){if(!(n==null||Xa.has(n)))return Ue.includes(s)?No(e,t,{[s]:n,status:o}):Le({...e,[s]:n,by:"key",then:""})}function Io(e,{end:t,starts:s},n){return No(e,{from:s[n],to:s[n+1]??t})}async function xt(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}var Va=2e4,Ja=8;function Do(e,t,s){let n=Ee(t),o=m=>{let g=async(y,b,w=s)=>{let k={...vt(b,w),...n,...y!==""&&{group_by:y}},{parts:S,hasMore:E}=await xt(async Z=>{let{data:M,next:ne}=await O(F(e,"usage",{...k,...Z}),{signal:m});return{part:M,next:ne}});return{entries:S.flat(),hasMore:E}},h=()=>e.hasAdmin?Promise.all([ot({},m),g("key",Ze(t,I(),s))]).then(([y,{entries:b}])=>Eo(y,b,t)).catch(()=>{}):O("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:y})=>su(y)?y.limit_usd:void 0);return Za({choice:t,get:g,now:I(),zone:s,budgets:h})},{by:r,from:a,prefix:u,range:l,show:d,then:c,to:f}=t,p=[e.hasAdmin,l,a,f,r,c,u,s,d==="latency"];return D(o,[...p,JSON.stringify(n)])}async function Za({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:a}=e,u=Ze(e,s,n),l=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(u.from,j(s,n,-Ja)),to:s+1}:void 0,f=d&&tu.every(Y=>e[Y]===""),[p,m,g,h,y,b,w]=await Promise.all([t("",u),t(r,u),a===""?void 0:t(`${r},${a}`,u),t("model,provider",u),c&&t("day",c),za(e,t,u),f?o():void 0]),k=m.entries.length*u.starts.length,S=m.hasMore||k>Va,E=await t(S||l?u.unit:`${u.unit},${r}`,u),Z=p.entries[0],M=Z===void 0?0:R(Z),ne=new Map((y?.entries??[]).map(Y=>[Y.day,R(Y)??0])),tt={spent:M??0,costs:ne,now:s,zone:n},$s=y&&Ao({...tt,since:b.since}),Lt=Y=>r==="tag"&&e.prefix!==""?uo(Y,e.prefix):Y;return{total:Z,period:u,choice:e,by:r,then:a,isLatency:l,isTogether:S,budget:w,forecast:$s,course:d?Ro(tt):void 0,headline:{spent:M,forecast:$s,budget:w,now:s,zone:n,isMonth:d,requests:Z?.requests??0,unpriced:Z?.unpriced_requests??0},groups:Lt(m.entries),hasMore:m.hasMore,detailed:g&&Lt(g.entries),prefixes:r==="tag"?ao(m.entries):[],series:S||l?E.entries:Lt(E.entries),compared:b.result,bill:Ya(h.entries),unpriced:h.entries.filter(({unpriced_requests:Y})=>Y>0).sort((Y,Or)=>Or.unpriced_requests-Y.unpriced_requests)}}function Ya(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...Qa(s),provider:t}))}function Qa(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function za(e,t,s){let n=so(e,s),o=fe(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),a=r===void 0?s.to:Date.parse(r);if(n===void 0||a>n.before.from)return{since:a,result:void 0};let[u,l]=await Promise.all([t("",n.now),t("",n.before)]),d=u.entries[0]&&l.entries[0]?{now:u.entries[0],before:l.entries[0],name:eu(n.before,s.zone)}:void 0;return{since:a,result:d}}function eu({from:e,to:t},s){return Oe(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var tu=["model","provider","tag","end_user"];function su(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var Po=14;function Fo({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=P(null),r=qe(o),{start:a,end:u,points:l}=t,{height:d,left:c,top:f}=kt,{right:p,ticks:m,x:g,y:h,...y}=bo({course:t,forecast:s,budget:e,width:r}),b=Oe(n,{day:"numeric",month:"short"}),w=l.at(-1),k=[a,(a+u)/2,u-1],S=[`${v(w.usd)} on ${b.format(w.time)}`,s&&`forecast ${G(s.usd)} on ${b.format(u-1)}, between ${G(s.low)} and ${G(s.high)}`,e!==void 0&&`the budget is ${v(e)}`].filter(Boolean).join("; ");return i`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${b.format(u-1)}: ${G(s.usd)}`:`Until ${b.format(w.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${S}>
          ${m.map(E=>i`
              <g key=${E}>
                <line class="grid" x1=${c} x2=${p} y1=${h(E)} y2=${h(E)} />
                <text x=${c-8} y=${h(E)+4} text-anchor="end">${v(E)}</text>
              </g>
            `)}
          ${k.map((E,Z)=>i`
              <text key=${z(E,n)} x=${g(E)} y=${d-8}
                text-anchor=${["start","middle","end"][Z]}>${b.format(E)}</text>
            `)}
          ${y.band&&i`<path class="band" d=${y.band} />`}
          ${y.budget&&i`<path class="budget-line" d=${y.budget} />`}
          <path class="spent" d=${y.spent} />
          ${y.line&&i`<path class="forecast" d=${y.line} />`}
          ${y.budget&&i`
            <text x=${c+4} y=${h(e)+(h(e)<f+Po?Po:-4)}
            >Budget ${v(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&i`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var Bo={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},us=e=>({of:t=>t[e],text:A,isNumber:!0});function nu(e,t){let s=e?R(e)??0:0;return[{id:"cost",title:"Cost",of:R,cell:W,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(R(n)??0)/s:void 0,cell:n=>C(R(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?i`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...us("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...us("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...us("output_tokens")},..._e.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:v},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:x,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:x,isNumber:!0}]}function Uo({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[a,u]=_({id:"cost",isRising:!1}),l=Bo[s]+(n===""?"":`, ${Bo[n].toLowerCase()}`),d=[{id:"name",title:l,isRisingFirst:!0,card:"a",of:({isSub:f,...p})=>ue(p[f?n:s],f?n:s)},...nu(o,r)],c=X(()=>{let f=d.find(({id:g})=>g===a.id),p=Nt(e,f,a.isRising);if(t===void 0)return p;let m=Map.groupBy(t,g=>g[s]);return p.flatMap(g=>[g,...Nt((m.get(g[s])??[]).map(h=>({...h,isSub:!0})),f,a.isRising)])},[e,t,a]);return i`
    <${B} label=${`Usage by ${l.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${a} onOrder=${u} />
  `}var ou=.05;function Ho({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:a=0,input_tokens:u=0,output_tokens:l=0}=o??{},d=o?R(o):0;return i`
    <dl class="figure-grid card">
      <${N} label="Cost" value=${W(o)}
        note=${ru(t!==void 0&&`${C(d??0,t)} of ${v(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&i`
        <${N} label="Forecast" value=${G(n.usd)}
          note=${`${G(n.low)} to ${G(n.high)}`} />
      `}
      ${s&&i`
        <${N} label=${`Against ${s.name}`} value=${ss(R(s.now),R(s.before))||"\u2013"}
          note=${`${W(s.now)} against ${W(s.before)}, full days`} />
      `}
      <${N} label="Requests" value=${$(r)}
        note=${s&&ss(s.now.requests,s.before.requests)} />
      <${N} label="Errors" value=${$(a)}
        note=${a>0?`${(100*a/r).toFixed(1)} % of requests`:""}
        tone=${a>r*ou?"bad":""} />
      <${N} label="Input tokens" value=${A(u)} note=${iu(o)} />
      <${N} label="Output tokens" value=${A(l)} note=${au(o)} />
      ${pt([o]).map(({id:c,title:f,text:p})=>i`<${N} key=${c} label=${f} value=${p(o[c])} />`)}
      <${N} label="Duration, p50" value=${r>0?x(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${x(o.p95_ms)}`:""} />
    </dl>
  `}function ru(...e){return e.filter(t=>t).join(", ")}function iu(e){return e?.cached_input_tokens>0?`${A(e.cached_input_tokens)} cached`:""}function au(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var uu=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],jo=["tag","end_user"],lu=["team","owner","key"];function St(e,t,s=""){let n=jo.filter(o=>t[o]!==""||o===s);return uu.filter(([o])=>(e.hasAdmin||!lu.includes(o))&&o!==s&&(!jo.includes(o)||n.every(r=>r===o)))}function cu(e,t){let s=(r,a)=>r.some(([u])=>u===a),n=s(St(e,t),t.by)?t.by:"model",o=s(St(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function Wo({route:e}){let t=K(),s=lt(),n=cu(t,bt(e.query)),{data:o,error:r,isLoading:a,reload:u}=Do(t,n,s),l=f=>location.hash=Le({...n,...f}),{title:d,text:c}=o?Lo({...o.headline,rangeName:Os(n,s)}):{title:"Usage",text:""};return i`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${u}
            disabled=${a}>Refresh</button>
          ${o&&i`<${Co} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${qo} choice=${n} session=${t} onChange=${l} />
      ${o&&i`<${du} choice=${n} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&i`<${L} text="Loading the usage" />`}
      ${o&&i`
        <div class=${`stack wide ${a?"stale":""}`}>
          <${Ho} data=${o} />
          <${fu} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row"><${de} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>l({tab:f})} /></div>
          ${o.groups.length===0?i`<div class="card empty">No request has ended in this time.</div>`:n.tab==="bill"?i`<${mo} entries=${o.bill} total=${o.total} />`:i`
              <${pu} data=${o} choice=${n} session=${t} onChange=${l} />
            `}
        </div>
      `}
    </div>
  `}function du({choice:e,period:t}){let s=Object.entries(Ee(e)).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return i`
    <p class="only-print">
      ${[`${J(t.from)} to ${J(Math.min(t.to,I()))}`,...s].join(", ")}
    </p>
  `}function fu({entries:e,canSet:t}){if(e.length===0)return null;let s=e.reduce((o,r)=>o+r.unpriced_requests,0),n=[...new Set(e.map(({model:o})=>o??"(no model)"))];return i`
    <div class="to-do row spread">
      <p>
        <strong>${$(n.length)} ${n.length===1?"model has":"models have"} no
          price.</strong>${" "}
        ${$(s)} ${s===1?"request is":"requests are"} not in these
        sums:${" "}
        ${n.slice(0,12).map((o,r)=>i`${r>0&&", "}<code class="wrap-anywhere">${o}</code>`)}${n.length>12&&`, and ${$(n.length-12)} more`}.
      </p>
      ${t&&i`<a class="button" href="#/config">Set prices</a>`}
    </div>
  `}function pu({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:a,hasMore:u,isLatency:l,isTogether:d,period:c,series:f,then:p,total:m}=e,g=l?fo(f,c,m):co(f,c,{by:d?null:o,show:Ko(t)}),h=e.course!==void 0&&Ko(t)==="cost",y=(b,w)=>e.choice.prefix===""?as(e.choice,c,o,b[o],w):as(e.choice,c,o,`${e.choice.prefix}:${b[o]}`,w);return i`
    <div class="row spread">
      <div class="row">
        <${de} label="Group by" value=${t.by} options=${St(s,t)}
          onChange=${b=>n({by:b,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${b=>n({then:b.target.value})}>
            <option value="">nothing</option>
            ${St(s,t,t.by).map(([b,w])=>i`<option key=${b} value=${b}>${w}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&i`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${b=>n({prefix:b.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(b=>i`<option key=${b} value=${b}>${b}:</option>`)}
            </select>
        `}
      </div>
      <${de} label="Figure of the chart" value=${t.show}
        options=${ts.map(({id:b,name:w})=>[b,w])}
        onChange=${b=>n({show:b})} />
    </div>
    <div class=${h?"usage-charts":""}>
      <${wo} chart=${g} linkOf=${b=>Io(e.choice,c,b)} />
      ${h&&i`<${Fo} data=${e} />`}
    </div>
    ${d&&!l&&i`
      <p class="hint">
        There are ${u?"more than ":""}${$(a.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&i`<p class="hint">${lo(m,a,u)}</p>`}
    <section>
      <${Uo} entries=${a} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${y} />
    </section>
  `}function Ko({show:e}){return e==="latency"?"requests":e}var nr={};be(nr,{default:()=>sr});var Xo=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function te(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,a=t-n;return{prompt:a,reads:a+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function Vo(e){let t=R(e),{net:s,unknown:n}=te(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function Jo(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function Zo(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}var Yo={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache by themselves.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Asks the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function Qo({total:e}){let t=te(e);return i`
    <div class="saving-grid">
      <${$u} total=${e} amounts=${t} />
      <${mu} total=${e} />
      <${hu} total=${e} amounts=${t} />
      <${gu} total=${e} amounts=${t} />
      <${yu} total=${e} amounts=${t} />
      <${bu} total=${e} />
    </div>
  `}function $u({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return i`
    <${Ne}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${v(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",v(t.reads)],["Writes cost",v(t.writes)],["Cached input",`${C(s,o)}, ${A(s)} of ${A(o)}`],["Written",`${A(n)} tokens`],Ot(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function mu({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=Jo(e);return i`
    <${Ne}
      id="sessions"
      title="Sessions that stay"
      isUsed=${Zo(e)>0}
      value=${v(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",zo(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function hu({total:e,amounts:t}){return i`
    <${Ne}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${v(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Ot(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function gu({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return i`
    <${Ne}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${v(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],Ot(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function yu({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return i`
    <${Ne}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${v(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],Ot(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function bu({total:e}){let{queued_requests:t,queued_ms:s}=e;return i`
    <${Ne}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",x(t===0?0:s/t)],["All waits",x(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function zo(e){return e===1?"1 request":`${$(e)} requests`}function Ot(e){return e>0?["Unknown price",`${zo(e)}, not included`]:void 0}function Ne({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:a,basis:u}){return i`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?i`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${oe} class="saving-facts" facts=${a.filter(l=>l)} />
          <p class="hint">${u}</p>
        `:i`<${vu} id=${e} />`}
    </section>
  `}function vu({id:e}){let{text:t,config:s}=Yo[e];return i`
    <p class="soft">No request used it in this time.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${Q} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var ku={model:"Alias or model",provider:"Provider",key:"Key"},wu=[{id:"net",title:"Net saved",isNumber:!0,card:"b",of:e=>te(e).net,cell:e=>{let{net:t,unknown:s}=te(e);return`${v(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching"],["response","Response cache"],["order","Cheapest first, est."],["hedges","Hedges cost"]].map(([e,t])=>({id:e,title:t,isNumber:!0,text:v,of:s=>te(s)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>C(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:R,cell:W,isNumber:!0,card:"d"}];function er({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:ku[s],of:o=>ue(o[s],s),isRisingFirst:!0},...wu];return i`
    <${B} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&i`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var tr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function sr({route:e}){let t=K(),s=t.hasAdmin?tr:tr.filter(([p])=>p!=="key"),n=bt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},a=lt(),{data:u,error:l,isLoading:d,reload:c}=_u(t,r,a),f=p=>location.hash=Le({...r,...p},"savings");return i`
    <div class="view" data-view="savings">
      <${ee}
        title=${u?.total?xu(u.total):"Savings"}
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
      <//>
      <${T} error=${l} title="No savings" />
      ${!u&&!l&&i`<${L} text="Loading the savings" />`}
      ${u&&i`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${u.total&&i`<${Su} total=${u.total} />`}
          ${!u.total&&i`
            <p class="card empty">No request has ended in this time.</p>
          `}
          <${Qo} total=${u.total??Xo} />
          ${u.total&&i`
            <div class="row">
              <${de}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${er} entries=${u.groups} hasMore=${u.hasMore} by=${u.by} />
          `}
        </div>
      `}
    </div>
  `}function _u(e,t,s){let{range:n,from:o,to:r,by:a}=t;return D(async l=>{let d=vt(Ze(t,I(),s),s),c=m=>O(F(e,"usage",{...d,...m}),{signal:l}),[f,p]=await Promise.all([c({}),xt(async m=>{let{data:g,next:h}=await c({group_by:a,...m});return{part:g,next:h}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:a}},[e.hasAdmin,n,o,r,a,s])}function xu(e){let{net:t}=te(e),s=Vo(e);if(t<0)return`Spent ${v(-t)} more than was saved`;let n=s===null?"":`, ${C(s,1)} of what it would have cost`;return`Saved ${v(t)}${n}`}function Su({total:e}){let{net:t,unknown:s}=te(e);return i`
    <dl class="figure-grid card">
      <${N} label="Saved, net" value=${v(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${N}
        label="Cost"
        value=${W(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${N} label="Requests" value=${$(e.requests)} />
      <${N}
        label="Cached input"
        value=${C(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${A(e.input_tokens)} tokens`}
      />
    </dl>
  `}var Sr={};be(Sr,{default:()=>xr});var Tt=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],xe=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Ct=3;function ge(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(xe.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(or.map(r=>[r,e?.[r]??""]))}}var or=["owner","team","note"];function rr(e){let t=Object.entries(ls(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function qt(e,t){let s=ls(ge(t));return Object.fromEntries(Object.entries(ls(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function ls(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=xe.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,ir(e[n])])),budget:e.usd.trim()===""?null:Ou(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(or.map(n=>[n,e[n].trim()||null]))}}function Ou({usd:e,per:t,unknownPrices:s}){let n={usd:ir(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function ir(e){let t=Number(e);return Number.isFinite(t)?t:e}function Ie(e){return xe.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function se({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${v(e)} ${s}`}function ar(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:a,name:u,owner:l}=e,d=[`It may use ${a===null?"all models":a.join(", ")}`,n===null?"":`, up to ${se(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...l===null?[]:[`Hello ${l},`],`your key "${u}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function ur({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Mt({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=l=>d=>t({...e,[l]:d.target.value}),r=(l,d)=>i`
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
    `,[a]=_(()=>xe.slice(Ct).some(([l])=>e[l]!=="")),u=(l,d,c=[])=>i`
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
        ${c.length>0&&i`
          <datalist id=${`key-${l}-known`}>
            ${c.map(f=>i`<option key=${f} value=${f}></option>`)}
          </datalist>
        `}
      </div>
    `;return i`
    ${s&&i`
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
          ${Tt.map(([l,d])=>i`<option key=${l} value=${l}>${d}</option>`)}
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
        ${xe.slice(0,Ct).map(([l,d])=>r(l,d))}
      </div>
      <details class="more-limits" open=${a}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${xe.slice(Ct).map(([l,d])=>r(l,d))}
        </div>
      </details>
    </fieldset>
  `}function Se(e){let[t,s]=_({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function ye({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function lr({entry:e,onChanged:t,onClose:s}){let[n,o]=_(()=>ge(e)),{isBusy:r,error:a,start:u}=Se(async()=>{let l=qt(n,e);Object.keys(l).length>0&&(await O(ye(e),{method:"PATCH",body:l}),t()),s()});return i`
    <${V} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${u}>
        <${Mt} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${a} title="Not changed" />
        <${cs} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function cr({entry:e,onChanged:t,onClose:s}){let[n,o]=_("1h"),[r,a]=_(void 0),{isBusy:u,error:l,start:d}=Se(async()=>{let c={overlap:n.trim()||"0s"};a(await O(`${ye(e)}/rotate`,{body:c})),t()});return r!==void 0?i`<${Tu} entry=${r} onClose=${s} />`:i`
    <${V} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
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
        <${cs} text="Rotate" isBusy=${u} onClose=${s} />
      </form>
      <//>
  `}function dr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Se(async()=>{await O(ye(e),{method:"DELETE"}),t(),s()});return i`
    <${V} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${T} error=${o} title="Not revoked" />
        <${cs} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function cs({text:e,isBusy:t,onClose:s,tone:n=""}){return i`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function Tu({entry:e,onClose:t}){return i`
    <${V} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
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
  `}var At=.9,Cu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),qu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function Qe({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=At?"warn":"good",{forecast_usd:r,renews_at:a,unpriced_requests:u}=s,l=[a&&`renews ${pr(a)}`,r!==null&&t>0&&`at this rate ${v(r)}${r>e?", more than the budget":""}`,u>0&&`${$(u)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:l}}function Rt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function ds(e){return(Rt(e)??0)>=At}function fr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.filter(ds),n=t.filter(l=>(Rt(l)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:l})=>l!==null)?`No key is over ${100*At} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*At} % of ${s.length===1?"its budget":"their budgets"}`,a=n[0]?.usage.budget.renews_at,u=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&a?` until ${pr(a)}`:""}.`;return{title:r,text:u,used:n.length===1?n[0]:void 0}}function pr(e){let t=new Date(e);return e.includes("T00:00:00")?Cu.format(t):`${qu.format(t)} UTC`}function fs(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${v(t("cost_usd"))}`}function Et({budget:e,spending:t}){if(!t)return i`${se(e)}`;let{tone:s,notes:n,share:o}=Qe(t),{forecast_usd:r,limit_usd:a,spent_usd:u}=t,l=[`${v(u)} of ${se(e)}`,...n].join(", "),d=r!==null&&r>a;return i`
    <span class="budget" title=${l}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${se(e)}`}
        aria-valuenow=${Math.round(100*o)}
        aria-valuemin="0"
        aria-valuemax="100"
      >
        <span style=${{width:`${Math.min(100,100*o).toFixed(1)}%`}}></span>
        ${r!==null&&!d&&a>0&&i`
          <i style=${{left:`${(100*r/a).toFixed(1)}%`}}></i>
        `}
      </span>
      <span class="share">${o>=1&&t.is_used_up?"used up":`${Math.floor(100*o)} %`}${d&&o<1?" \u2197":""}</span>
      <span class="limit soft">of ${se(e)}</span>
    </span>
  `}var $r=new Map([["expired","warn"],["disabled","bad"]]);function ze({id:e}){return`#/keys/${encodeURIComponent(e)}`}function ps({entry:e}){let{reason:t,status:s}=e,n=ur(e,Date.now());return i`
    <span class=${$r.has(s)?`badge ${$r.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&i`
      <span class="small soft"> the text before is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var Mu=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),Au=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low"},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Rt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&i`<${Et} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:v},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:Mu,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>Ie(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>i`<${ps} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ke(e):i`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>i`<code>${e}…</code>`}];function De({source:e,status:t}){return e==="store"&&t!=="revoked"}function mr({keys:e,marks:t,onAction:s}){return i`
    <${B} label="Keys" columns=${Au} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${ze} actionsOf=${o=>[{text:"Open",href:ze(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...De(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function gr({keys:e,onAction:t,onClear:s}){let n=e.reduce((a,{usage:u})=>a+(u?.budget?.spent_usd??0),0),o=e.some(De),r=(a,u,l="")=>i`
      <button type="button" class=${`small ${l}`} disabled=${!o}
        onClick=${()=>t(a)}>${u}</button>
    `;return i`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${v(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var hr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function yr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(De),[r,a]=_({usd:"",per:"month",team:""}),[u,l]=_(0),d=g=>h=>a({...r,[g]:h.target.value}),{isBusy:c,error:f,start:p}=Se(async()=>{try{for(let[g,h]of o.slice(u).entries())await Eu(e,h,r),l(u+g+1)}finally{s()}n()}),m=t.length-o.length;return i`
    <${V} title=${`${hr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:g})=>g).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
        ${m>0&&i`
          <p class="soft">${$(m)} of them ${m===1?"is":"are"} in config.yaml or
            revoked, and stay as they are.</p>
        `}
        ${e==="revoke"&&i`
          <p>Their requests are refused from now on. This cannot be undone.</p>
        `}
        ${e==="team"&&i`
          <div class="field">
            <label for="bulk-team">Team</label>
            <input id="bulk-team" type="text" maxlength="128" value=${r.team}
              onInput=${d("team")} />
          </div>
        `}
        ${e==="budget"&&i`<${Ru} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(u)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(u)} of ${$(o.length)}`:hr[e]}</button>
        </div>
      </form>
      <//>
  `}function Ru({fields:e,set:t}){return i`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${Tt.map(([s,n])=>i`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function Eu(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await O(ye(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},a=qt({...ge(t),...r},t);if(Object.keys(a).length!==0)return await O(ye(t),{method:"PATCH",body:a})}var Lu="The key is not shown again.",Nu="What you have typed is lost.";function br({onCreated:e,teams:t}){let[s,n]=_(ge),[o,r]=_(void 0),a=JSON.stringify(s)!==JSON.stringify(ge()),{isBusy:u,error:l,start:d}=Se(async()=>{r(await O("/v1/admin/keys",{body:rr(s)})),e()});if(o!==void 0)return i`<${Iu} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return i`
    <${et} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${a&&i`<${vr} text=${Nu} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Mt} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${l} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${u}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function et({text:e}){return i`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function vr({text:e}){let[t,s]=_(void 0),n=P(()=>{});return U(()=>{n.current=Bs(s);let r=a=>a.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:i`
    <${V} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Iu({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:a,owner:u,team:l}=e,d=[["Team",l],["Owner",u],["Note",a],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":se(e.budget)],["Limits",Ie(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=_(!1);return U(()=>{c&&(location.hash="#/keys")},[c]),i`
    ${!c&&i`<${vr} text=${Lu} />`}
    <${et} text=${r} />
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
        <${Du} keyText=${s} />
        <${Fu} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${oe} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This page closes only here. Back and links ask first.</p>
      </aside>
    </div>
  `}function Du({keyText:e}){let[t,s]=_(""),n=new URLSearchParams({os:kr(),origin:location.origin}),{data:o,error:r}=D(u=>O(`/v1/clients?${n}`,{key:e,signal:u}),[e]),a=o?.data.find(u=>u.id===t)??o?.data[0];return i`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${T} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&i`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${a!==void 0&&i`
        <label class="row">Client
          <select value=${a.id} onChange=${u=>s(u.target.value)}>
            ${o.data.map(u=>i`<option key=${u.id} value=${u.id}>${u.title}</option>`)}
          </select>
        </label>
        ${Pu(a,e).map(({title:u,text:l})=>i`
            <div key=${u} class="stack">
              <div class="row spread"><code>${u}</code>
                <${Q} text=${l} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${u}>${l}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Pu({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:kr()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:a,text:u})=>({title:a,text:u})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function kr(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Fu({entry:e}){let[t,s]=_(!1),n=ar(e,{origin:location.origin,hasKey:t});return i`
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
  `}function wr({id:e,version:t,onAction:s}){let{data:n,error:o}=D(c=>O(ye({id:e}),{signal:c}),[e,t]);if(!n)return i`
      <${et} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&i`<${L} text="Loading the key" />`}
    `;let{budget:r,name:a,usage:u}=n,l=u?.days??[],d=c=>new URLSearchParams({[c]:a});return i`
    <${et} text=${a} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${Bu(n)}</h1>
        <p class="soft"><${ps} entry=${n} />${u?.last_used?`, last used on ${u.last_used}`:u?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${De(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>i`
              <button type="button" key=${c} class=${c==="revoke"?"danger":""}
                onClick=${()=>s(c,n)}>${f}</button>
            `)}
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        ${r!==null&&i`
          <section class="card stack padded">
            <h2>Budget</h2>
            <${Et} budget=${r} spending=${u?.budget} />
            <p class="soft">${u?.budget&&Qe(u.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${fs(l).replace(/^.*?: /,"")}</p>
          <${Uu} days=${l} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${oe} facts=${Hu(n)} class="key-facts" />
      </aside>
    </div>
  `}function Bu({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=Qe(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function Uu({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return i`
    <div class="day-bars" role="img" aria-label=${fs(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>i`
          <span key=${o} title=${`${$(n)} requests, ${v(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function Hu(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:a,owner:u,prefix:l,source:d,team:c}=e;return[["Team",c],["Owner",u],["Note",a],["Begins with",l&&i`<code>${l}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",Ie(o).join(", ")||"default"],["Budget",t===null?"none":se(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ke(s)],["Expires",n===null?"never":Ke(n)]].filter(([,f])=>f!=null)}function xr({route:e}){let{hasAdmin:t}=K();return i`
    <div class="view" data-view="keys">
      ${t?i`<${Wu} path=${e.path} query=${e.query} />`:i`
        <${ee} title="Keys" />
        <${rt} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var Ku={edit:lr,rotate:cr,revoke:dr};function Wu({path:[e],query:t}){let[s,n]=_(!1),[o,r]=_(null),[a,u]=_(0),l=D(m=>ot({revoked:s,usage:!0},m),[s,a]),d=()=>u(m=>m+1),c=(m,g)=>r({type:m,entry:g}),f=X(()=>Gu(l.data??[],"team"),[l.data]),p=o&&Ku[o.type];return i`
    ${e==="new"?i`<${br} onCreated=${d} teams=${f} />`:e!==void 0?i`<${wr} id=${e} version=${a} onAction=${c} />`:i`
        <${Xu} ...${l} search=${t.get("search")??""} onAction=${c}
          onChanged=${d} showsRevoked=${s} onRevoked=${n} />
      `}
    ${o&&i`
      <${p} entry=${o.entry} onChanged=${d}
        onClose=${()=>r(null)} />
    `}
  `}function Gu(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var _r=[["all","All",()=>!0],["near","Over 90 %",ds],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function Xu(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:a,onChanged:u}=e,[l,d]=_(e.search),[c,f]=_("all"),[p,m]=_(()=>new Set),[g,h]=_(void 0),y=s?.code==="store_required",[,,b]=_r.find(([M])=>M===c),w=Yu(l),k=X(()=>(t??[]).filter(M=>b(M)&&Zu(M,w)),[t,c,w]),S=e.search.startsWith("sk-")&&l===e.search&&k.length===1?ze(k[0]):void 0;U(()=>S&&location.replace(S),[S]);let E=k.filter(({id:M})=>p.has(M)),Z={ids:p,onToggle:M=>m(new Set(p.has(M)?[...p].filter(ne=>ne!==M):[...p,M])),onAll:M=>m(new Set(M?k.map(({id:ne})=>ne):[]))};return i`
    <${Vu} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${M=>r(M.target.checked)} />
        Show revoked keys
      </label>
      ${y?null:i`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${ce} name="add" /> Create key
        </a>
      `}
    <//>
    ${y?i`
        <div class="card empty">
          <p>${s.message}</p>
        </div>
      `:i`<${T} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&i`<${L} text="Loading the keys" />`}
    ${t&&i`
      <div class="row">
        <${de} label="Which keys" value=${c} onChange=${f}
          options=${_r.map(([M,ne,tt])=>[M,`${ne} ${$(t.filter(tt).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${l}
          onInput=${M=>d(M.target.value)} />
      </div>
      ${E.length>0&&i`
        <${gr} keys=${E} onAction=${h} onClear=${()=>m(new Set)} />
      `}
      ${k.length===0?i`<div class="card empty" role="status">${Ju(t,w)}</div>`:i`
          <div class=${n?"stale":""}>
            <${mr} keys=${k} marks=${Z} onAction=${a} />
          </div>
        `}
    `}
    ${g&&i`
      <${yr} kind=${g} keys=${E} onChanged=${u}
        onClose=${()=>h(void 0)} />
    `}
  `}function Vu({keys:e,children:t}){let{title:s,text:n,used:o}=e?fr(e):{title:"Keys",text:""};return i`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&i`
          <a class="wrap-anywhere" href=${ze(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function Ju(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function Zu({name:e,note:t,owner:s,prefix:n,team:o},r){let a=r.toLowerCase();return[e,t,s,n,o].some(u=>u?.toLowerCase().includes(a))}function Yu(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{Sr as keys,Zs as overview,Ln as requests,nr as savings,Un as sessions,eo as status,Go as usage};
