import{b as ct,f as Us}from"./shared3.js";import{E as ie,F as J,G as je,H as Ns,I as Ke,J as j,K as Ut,M as Ht,N as Is,O as Ds,P as Ps,Q as Fs,R as Bs,S as lt,a as K,b as Ft,c as _e,d as qs,e as D,f as B,g as rt,h as ee,i as it,j as N,k as me,l as Bt,m as As,n as Ue,o as re,p as Rs,q as He,r as at,s as xe,t as M,u as ut,v as Es,y as Ls}from"./shared2.js";import{$ as Os,A as Dt,D as T,E as ne,F as vs,G as Q,H as V,I as pe,J as ke,K as L,M as $,N as A,O as x,P as k,Q as C,R as Be,S as ks,U as ws,V as st,W as _s,X as we,Y as Pt,Z as xs,_ as Ss,a as ve,c as _,d as U,da as F,e as bs,f as P,g as X,ga as oe,ha as Ts,i as a,ia as H,j as I,ja as $e,ka as z,pa as nt,qa as Cs,ra as ot,sa as Ms,u as ys,v as O,va as Me,y as fe}from"./shared1.js";var en={};ve(en,{default:()=>zs});var Hs={hour:"2-digit",minute:"2-digit"},js={day:"numeric",month:"short",...Hs};function Ir(e){let t=({incident:s,recent:n})=>s?.failures??n.failures;return e.toSorted((s,n)=>_s(s.state,n.state)||t(n)-t(s))}function qe(e){return Ir(e.filter(({state:t})=>st(t)))}function Ks({at:e,reading:t,since:s,targets:n}){let o=Date.parse(e),[r,...i]=qe(n);if(r===void 0)return{title:Dr(n),text:Pr(s,t)};let u=[`${Br(we(r,o))}.`,Pt(r)&&`${Pt(r)}.`,i.length>0&&`${i.length} more ${i.length===1?"target needs":"targets need"} a look.`],l=r.since===null?"":` since ${Se(r.since,o)}`;return{title:`${Fr(r)} ${ws.get(r.state).verb}${l}`,text:u.filter(d=>d).join(" ")}}function Dr(e){let t=e.filter(({state:s})=>s!=="unused");return t.length===0?"No target has been asked in 24 hours":t.length===1?"The only used target is OK":`All ${t.length} used targets are OK`}function Pr(e,t){return t?"The last day is still being read from the ledger.":`Known since ${oe(F(),js).format(new Date(e))}.`}function Fr({provider:e,upstream:t}){return t===""?e:`${e} ${t}`}function Se(e,t){let s=t-Date.parse(e)<72e6;return oe(F(),s?Hs:js).format(new Date(e))}function Br(e){return e.charAt(0).toUpperCase()+e.slice(1)}function jt(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,u]=t.get(n)??[0,0];t.set(n,[i+o,u+r])}return t}function Kt(e,t,s,n=1){let o=Math.floor(t/s),r=[],i=[];for(let u=0;u<288;u++){let[l,d]=e.get((o-288+1+u)*s)??[0,0];if(l===0&&i.push(`M${u} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/l/n),f=Math.round(Math.max(12,100*c));r.push(`M${u} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function Ws(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function Wt(e,t,s){let o=1-((Math.floor(t/s)+1)*s-e)/(288*s);return o<0?void 0:100*o}var Ur=6,Gt=36e5;function Vs({health:e}){let{cell_ms:t,changes:s,reading:n,since:o,targets:r}=e,i=Date.parse(e.at),u=jt(r.map(({cells:c})=>c)),l=Ws(u),d=Date.parse(o);return a`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, 24 h</h2>
        <span class="faint small">
          5 min a cell, this process${Wr(d,i,n)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${Gs}
          class="tall"
          label=${`All targets: ${Xs(u)}`}
          paths=${Kt(u,i,t,l)}
          top=${l}
        >
          ${s.map(({kind:c,text:f,time:p},m)=>a`
              <${jr} key=${m} kind=${c} text=${`${f}, ${Se(p,i)}`}
                at=${Wt(Date.parse(p),i,t)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${Hr(r).map(({name:c,own:f,worst:p})=>{let m=jt(f.map(({cells:h})=>h)),g=Js(f.map(h=>h.recent));return a`
            <div class="strip-name" key=${c}>
              <a class="clip" href="#/status" title=${c}>${c}</a>
              <${Me} state=${p.state} isShort=${!0} />
            </div>
            <${Gs} key=${`${c} strip`} label=${`${c}: ${Xs(m)}`}
              paths=${Kt(m,i,t)} />
            <div class="strip-end small" key=${`${c} now`}>${g.attempts===0?"no traffic":`${C(g.failures,g.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${Kr} end=${i} cellMs=${t} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function Hr(e){return[...new Set(qe(e).map(({provider:s})=>s))].slice(0,Ur).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:qe(n)[0]}})}function Gs({children:e,class:t="",label:s,paths:{failed:n,quiet:o},top:r}){return a`
    <div class=${`strip ${t}`} role="img" aria-label=${s}>
      ${r!==void 0&&a`<span class="strip-top">${C(r,1)}</span>`}
      <svg viewBox="0 0 288 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${o} />
        <path d=${n} />
      </svg>
      ${e}
    </div>
  `}function jr({kind:e,text:t,at:s}){return s===void 0?null:a`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function Kr({end:e,cellMs:t}){let s=[];for(let n=e-e%(6*Gt);s.length<4;n-=6*Gt)s.unshift(n);return a`
    <div class="strip-axis small faint" aria-hidden="true">
      ${s.map(n=>{let o=Wt(n,e,t);return o!==void 0&&o>3&&o<88&&a`
          <span key=${n} style=${{left:`${o}%`}}>${Se(new Date(n).toISOString(),e).slice(-5)}</span>
        `})}
      <span class="now">now</span>
    </div>
  `}function Wr(e,t,s){return s?"; the ledger is still being read":t-e<23*Gt?`, begins at ${Se(new Date(e).toISOString(),t)}`:", from the ledger"}function Xs(e){let{attempts:t,failures:s}=Js([...e.values()].map(([n,o])=>({attempts:n,failures:o})));return`${s} of ${t} attempts failed in 24 hours`}function Js(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var Gr=5e3,Xr=6e4,Ys=6e5,Qs=5;function zs(){let{hasAdmin:e}=K();return e?a`<${Vr} />`:a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${it} what="The overview is about all keys: it needs an admin key." />
      </div>
    `}function Zs(e,t){let s=D(e,[]);return _e(s.reload,t),s}function Vr(){let{data:e,error:t}=Zs(r=>O("/v1/admin/health",{signal:r}),Gr),{data:s}=Zs(Jr,Xr);if(e===void 0)return a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${t?a`<${T} error=${t} title="No health" />`:a`<${L} text="Reading the health of targets" />`}
      </div>
    `;let{text:n,title:o}=Ks(e);return a`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${o}</h1>
        <p class="soft">${n}</p>
      </header>
      <${Zr} health=${e} day=${s} />
      <${Vs} health=${e} />
      <div class="two">
        <${Yr} health=${e} />
        <${zr} day=${s} />
      </div>
    </div>
  `}async function Jr(e){let t=I(),s=new Date(H(t,F())).toISOString(),n=new Date(t-Ys).toISOString(),[o,r,i]=await Promise.all([O(`/v1/admin/request_counts?${new URLSearchParams({from:n})}`,{signal:e}),O(`/v1/admin/usage?from=${encodeURIComponent(s)}&group_by=key,model&limit=1000`,{signal:e}),O(`/v1/admin/usage?from=${encodeURIComponent(s)}`,{signal:e})]);return{counts:o.data,keys:r.data,total:i.data[0]}}function Zr({health:e,day:t}){let s=t?.counts.reduce((r,{requests:i,errors:u})=>({requests:r.requests+i,errors:r.errors+u}),{requests:0,errors:0}),n=e.targets.filter(({recent:r})=>r.attempts>0).toSorted((r,i)=>i.recent.attempts-r.recent.attempts)[0],o=s!==void 0&&s.requests>0&&s.errors/s.requests>=.05;return a`
    <dl class="overview-figures">
      <${dt}
        label="Requests per minute"
        value=${s&&Be(s.requests/(Ys/6e4))}
        note="mean of 10 min"
      />
      <${dt}
        label="Failed requests, 10 min"
        value=${s&&C(s.errors,s.requests)}
        note=${s&&`${$(s.errors)} of ${$(s.requests)}`}
        isBad=${o}
        href="#/requests?range=15m&status=error"
      />
      <${dt}
        label="Time to first content"
        value=${n?.first_content_ms==null?"\u2013":x(n.first_content_ms)}
        note=${n?.first_content_ms==null?"no answer in 10 min":`${n.provider}, usually ${x(n.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${dt}
        label="Spent today"
        value=${t&&k(t.total?.cost_usd??0)}
        note=${t&&`${$(t.total?.requests??0)} requests, ${F()}`}
        href="#/requests?range=24h&sort=cost_usd"
      />
    </dl>
  `}function dt({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return a`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:a`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function Yr({health:e}){let t=Date.parse(e.at),s=qe(e.targets);return a`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${Os(e.thresholds)}>How it is judged</span>
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
              ${s.slice(0,Qs).map(n=>{let{last_failure:o,provider:r,since:i,state:u,upstream:l}=n;return a`
                  <tr role="row" key=${`${r} ${l}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${l}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${l}</span>
                    </th>
                    <td role="cell">
                      <${Me} state=${u} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":Se(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?we(n,t):a`
                        <a
                          href=${Qr(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${we(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function Qr({request:e,time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function zr({day:e}){let t=ei(e?.keys??[]),s=e?.total?.cost_usd??0;return a`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive today</h2>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href="#/usage?range=24h&by=key">Usage</a>
      </div>
      ${t.length===0?a`<p class="soft">${e?"Nothing has been spent today.":"\u2026"}</p>`:a`
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
              ${t.map(({cost:n,key:o,model:r})=>a`
                  <tr key=${o}>
                    <th scope="row"><span class="clip" title=${o}>${o}</span></th>
                    <td><span class="clip soft" title=${r}>${r}</span></td>
                    <td class="number">${k(n)}</td>
                    <td class="number">${C(n,s)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function ei(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,Qs)}var Pn={};ve(Pn,{default:()=>Dn});function tn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function ft(e,t){As(e,t,"text/csv")}var ti=30*864e5,si=1e3;function pt(e){let[t,s]=_({}),n=P(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let u={from:new Date(Date.now()-ti).toISOString(),group_by:r,limit:String(si)};try{let{data:l}=await O(B(e,"usage",u)),d=l.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var he=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),ni=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),oi=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),ri=new Set(["key","model","provider","tag","end_user"]),ii=/^\d{1,15}(\.\d{1,9})?$/,ai=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function ui(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*ai.get(n.toLowerCase())))}function sn(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=li(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function li(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return ci(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=ni.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return di(e,r.toLowerCase());if(i==="path")return fi(e,r.toLowerCase());e[i]=ri.has(i)?pi(r,s(i)):r}}function ci(e,t,s){let n=oi.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!ii.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=ui(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function di(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function fi(e,t){if(!he.has(t))return`A path is ${[...he.keys()].join(", ")}`;e.path=t}function pi(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function Xt(e){return Ue.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var $i=["key","model","provider","tag","end_user"],mi=["status:error","status:ok","status:429","cost>","ms>","session:"],hi=200;function nn({filters:e,rows:t=[],session:s,opened:n,time:o}){let[r,i]=_(""),[u,l]=_(""),d=P(null),c=pt(s),f=M(e,n,o);U(()=>{i(""),l("")},[f]);let p=w=>location.hash=M(w,n,o),m=$i.filter(w=>w!=="key"||s.hasAdmin),g=w=>[...new Set([...vi(t,w),...c.of(w)])],h=w=>{w.preventDefault();let v=sn(r,e,g);if(v.fault!==void 0)return l(v.fault);l(""),i(""),p(v.filters)},b=w=>{let v=Xt(e).at(-1);w.key==="Backspace"&&r===""&&v!==void 0?p({...e,[v.filter]:""}):w.key==="Escape"&&d.current.blur()},y=({target:{value:w}})=>{i(w);let v=/(?:^|\s)([a-z_]+):\S*$/.exec(w)?.[1]??"",S=v==="user"?"end_user":v;m.includes(S)&&c.load(S)};return a`
    <form class="filter-bar" role="search" aria-label="Filter the requests" onSubmit=${h}>
      <div class="filter-line">
        <${fe} name="search" />
        ${Xt(e).map(w=>a`<${gi} key=${w.filter} word=${w} onRemove=${()=>p({...e,[w.filter]:""})} />`)}
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
          onInput=${y}
          onKeyDown=${b}
        />
        <datalist id="filter-words">
          ${yi(r,m,g).map(w=>a`<option key=${w} value=${w} />`)}
        </datalist>
        ${He(e)&&a`
          <a class="button quiet" href=${M({...xe(e),sort:e.sort,order:e.order},n,o)}>Clear</a>
        `}
      </div>
      <p class="fault" id="filter-fault" role="status">${u}</p>
      <${bi} filters=${e} onChange=${p} />
    </form>
  `}function gi({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return a`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${fe} name="close" size=${10} />
      </button>
    </span>
  `}function bi({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...he].map(([n,o])=>["path",n,o])];return a`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return a`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&a`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function yi(e,t,s){let[,n,o]=/^(.*?)(\S*)$/s.exec(e),[,r,i]=/^([a-z_]+):(.*)$/.exec(o)??[],u=r==="user"?"end_user":r;return t.includes(u)?s(u).filter(d=>d.includes(i)).sort().slice(0,hi).map(d=>`${n}${r}:${/\s/.test(d)?`"${d}"`:d}`):[...mi,...t.map(d=>`${d==="end_user"?"user":d}:`)].filter(d=>d.startsWith(o)).map(d=>n+d)}function vi(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var Oe=[{id:"searches",title:"Searches",text:$},{id:"images",title:"Images",text:$},{id:"characters",title:"Characters spoken",text:$},{id:"seconds",title:"Audio",text:ki}];function $t(e){return Oe.filter(({id:t})=>e.some(s=>s?.[t]>0))}function ki(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${$(Math.floor(t/60))} min ${t%60} s`}var on="abandoned";function Vt({error:e,status:t}){return e!==on&&((e??null)!==null||t>=400)}function wi({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function rn(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${x(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let u=e.saved_usd>0?`, which saved ${k(e.saved_usd)}`:"";return`${i}Answered by the cache${u}.`}return r===499?`${i}The client stopped after ${x(e.ms)}.`:s!==null?i+_i(e):i+xi(e)}function _i({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was asked: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${an(o)}: ${n}.`}function xi(e){let{attempts:t=[]}=e,s=wi(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let l=t.find(d=>d!==s&&!Vt(d))?.provider??"the first target";return s.hedge?`${l} was slow; the hedge at ${n} won after ${x(o)}.`:`${n} answered after ${x(o)}; the hedge at ${l} was not used.`}let r=t.filter(Vt);if(r.length===0)return`Answered by ${n} after ${x(o)}.`;let i=[...new Set(r.map(u=>u.provider))];return i.every(u=>u===n)?`${n} answered after ${x(o)}, at attempt ${t.length}.`:`${an(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${x(o)}.`}function an(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function un(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===on?"unused":Vt(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,u)=>i.start-u.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var Si=1e6,Oi=e=>Oe.find(({id:t})=>t===e)?.title??e,Ti=1e-9;function ln(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(l,d,c)=>({name:l,amount:d,price:c,usd:d*c/Si}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...Object.entries(t.units??{}).map(([l,d])=>({name:Oi(l),amount:e[l]??0,price:d,unit:l,usd:(e[l]??0)*d}))].filter(({amount:l})=>l>0),u=(e.cost_usd??0)-i.reduce((l,{usd:d})=>l+d,0);return e.cost_usd!=null&&Math.abs(u)>Ti&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:u}),i}function cn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&Ci(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&x(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&k(e.saved_usd)],["Hedge",e.hedged&&`cost ${k(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&k(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"],["Agent",e.agent],["Started by agent",e.parent_agent]].filter(([,s])=>s)}function Ci(e){return e>0?`saved ${k(e)}`:"yes"}function dn({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":k(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var mt=499;function $n({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},u=({id:c,isRising:f})=>r(c==="time"?{sort:"",order:""}:{sort:c,order:f?"asc":""}),l=X(()=>qi(n),[n,F()]),d=e.find(({id:c})=>c===s);return a`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${j}
      label="Requests"
      columns=${l}
      rows=${e}
      idOf=${fn}
      hrefOf=${c=>M(t,c.id,c.time)}
      actionsOf=${c=>Mi(c,t)}
      order=${i}
      onOrder=${u}
      current=${d&&fn(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=M(t)}
    />
  `}function fn({id:e,time:t}){return`${t} ${e}`}function Mi(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:M({...xe(t),[n]:e[n]})}];return[{text:"Open",href:M(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function qi(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:Ai},{id:"status",title:"Status",card:"b",cell:t=>a`<${We} row=${t} />`},{id:"model",title:"Model",card:"a",cell:Jt("model")},{id:"provider",title:"Provider",panel:"hide",cell:Jt("provider")},...e?[{id:"key",title:"Key",panel:"hide",cell:Jt("key")}]:[],{id:"path",title:"Path",panel:"low",cell:Ri},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:x},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:x},pn("input_tokens","In"),pn("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:Ei}]}function pn(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>Zt(s)?s[e]:void 0,cell:s=>Li(s[e],Zt(s),s.usage_source==="estimated")}}function Zt({usage_source:e}){return e!=="none"}function Ai(e){let t=e.path.map(s=>`, ${s}`).join("");return a`
    <span title=${`${J(e.time)}, ${e.id}`}>${ie(e.time)}</span>
    <span class="phone-only">, ${x(e.ms)}${t}</span>
  `}function Jt(e){return t=>t[e]==null?"\u2013":a`<${ke} text=${t[e]} />`}function Ri({path:e}){return e.map(t=>a`<span key=${t} class="badge">${he.get(t)}</span>`)}function Ei(e){return e.cost_usd==null?Zt(e)?a`<span class="faint">unknown</span>`:"\u2013":a`<span title=${`$${e.cost_usd}`}>${k(e.cost_usd)}</span>`}function We({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==mt&&(n>=400||s!=null),r=n===mt?"stopped":o?"failed":"ok",i=n===mt?"Stopped by the client":s??void 0;return a`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===mt&&a`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&a`<span class="error-code small"> ${s}</span>`}
  `}function Li(e,t,s){return t?s?a`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var mn=.8,Ni=.1;function hn({row:e}){let t=un(e),s=Math.max(Ni,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return a`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?a`
              <${Yt}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${gn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:a`
              <${Ii} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${Yt}
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
  `}function Ii({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:u}=e,{provider:l,model:d,status:c,error:f,vendor_text:p}=n,m=dn(n);return a`
    <${Yt}
      title=${a`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${l}</span>
        ${o==="hedge"&&a`<span class="soft">, the hedge</span>`}
      `}
      text=${gn(e)}
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
        ${Fi(n).map(g=>a`<span key=${g} class="soft wrap-anywhere">${g}</span>`)}
        ${m!==""&&a`<span class="faint">${m}</span>`}
      </p>
      ${p&&a`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function gn({length:e,start:t}){return t<1?x(e):`${x(e)}, after ${x(t)}`}var Di=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),Pi=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function Fi({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:u})=>u===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${u}`),n&&(Pi.get(n)??n),o!=null&&!r&&`asked to wait ${x(o)}`,r?`then again after ${x(o)}`:Di.get(s)].filter(i=>i)}function Yt({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:u}){let l=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(mn,100*n/o);return a`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:l(Math.min(s,o*(1-mn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&a`<span class="mark" style=${{left:l(i)}}></span>`}
      </div>
      ${u}
    </li>
  `}function vn({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},u=B(s,`requests/${encodeURIComponent(e)}`,i),{data:l,error:d}=D(f=>O(u,{signal:f}),[u]),c=P(null);return U(()=>c.current.focus(),[]),a`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${bn} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${bn} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${M(n)} title="Close"
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
        ${!l&&!d&&a`<${L} />`}
        ${l&&a`
          <p class="said">${rn(l)}</p>
          <${Bi} row=${l} filters=${n} />
          <${hn} row=${l} />
          <${Ui} row=${l} />
          <${ji} row=${l} />
          <${Gi} row=${l} filters=${n} />
          ${s.hasService&&l.model!==null&&Wi(l)&&a`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:l.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function Bi({row:e,filters:t}){return e.path.length===0?null:a`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>a`<a key=${s} class="badge" href=${M({...xe(t),path:s})}>${he.get(s)}</a>`)}
    </p>
  `}function Ui({row:e}){let t=ln(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${me} label="Cost by line" class="cost-lines">
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
                <td class="number">${s===null?"\u2013":Hi(s,r)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${ks(o)} per M`:Ls(r,o)}
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
  `}function Hi(e,t){return Oe.find(({id:s})=>s===t)?.text(e)??$(e)}function ji({row:e}){let t=cn(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="route-title">
      <h3 id="route-title">Route</h3>
      <${ne} class="request-facts" facts=${t} />
    </section>
  `}function bn({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:a`
    <a class="button quiet icon" href=${M(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${fe} name=${s} />
    </a>
  `}var Ki=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function Wi({format:e}){return Ki.has(e)}function Gi({row:e,filters:t}){let s=e.usage_source!=="none",n=(r,i)=>a`
      <${Xi} key=${i} name=${r} value=${i} filters=${t} />
    `,o=[["Ended",J(e.time)],["Status",a`<${We} isLong=${!0} row=${e} />`],["Model",n("model",e.model)],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&a`<code class="wrap-anywhere">${e.upstream}</code>`],["Key",n("key",e.key)],["Tags",e.tags?.length>0&&e.tags.map(r=>n("tag",r))],["End user",e.end_user&&n("end_user",e.end_user)],["Session",e.session&&n("session",e.session)],["API",e.format],["Input",s&&yn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&yn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...$t([e]).map(({id:r,title:i,text:u})=>[i,u(e[r])]),["Usage",Vi.get(e.usage_source)??e.usage_source],["Cost",s&&a`<${Bt} value=${e.cost_usd} format=${k} />`],["First token",e.first_token_ms!=null&&x(e.first_token_ms)],["Duration",x(e.ms)]];return a`
    <${ne} class="request-facts" facts=${o.filter(([,r])=>r)} />
  `}function Xi({name:e,value:t,filters:s}){if(t===null)return a`<${Bt} value=${t} />`;let n=M({...xe(s),[e]:t});return a`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var Vi=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function yn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function Ae(e){let[t,s]=_(0);return bs(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function kn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let u=r;u<Date.parse(s);u+=o)i.push({start:u,end:u+o,requests:0,errors:0});for(let{start:u,requests:l,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(u)-r)/o)];c!==void 0&&(c.requests+=l,c.errors+=d)}return i}function wn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=Ge(e),u=t.length-1;if(i-o<0||r-o>u)return null;let l=d=>Math.min(u,Math.max(0,d-o));return{anchor:l(e.anchor),focus:l(e.focus)}}function Ge({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function _n(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let u=i[t];return{anchor:s&&e!==null?e.anchor:u,focus:u}}function xn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Sn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function On({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Re=64,Ji=366*864e5;function Cn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=_(null),i=wn(o,e),[{start:u,end:l}]=e,d=b=>r(b&&{...b,first:u,step:l-u}),c=i===null?e:Yi(e,i),f={from:u,to:e.at(-1).end},p=b=>{let[y,w]=Ge(b);d(null),n(e[y].start,e[w].end)},m=()=>{let{from:b,to:y}=xn(f,I());n(b,y)},g=Sn(e.reduce((b,{requests:y})=>Math.max(b,y),0)),h=s&&f.to-f.from<Ji/3;return a`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${Qi(c,i===null,t)}</b> <span class="faint small">${Ns(e[0].end-u)} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${i!==null&&a`
            <button type="button" class="small" onClick=${()=>p(i)}>
              Show only this
            </button>
          `}
          ${h&&a`
            <button type="button" class="small quiet" onClick=${m}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${g.map(b=>a`<span key=${b}>${A(b)}</span>`)}
      </div>
        <${Zi}
          axis=${g}
          intervals=${e}
          selection=${i}
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
  `}function Zi({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=P(null),u=Ae(i),l=P(null),d=u/t.length,[c]=e,[f,p]=s===null?[-1,-2]:Ge(s),m=v=>{let S=v.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(S/d)))};return a`
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
      onKeyDown=${v=>{if(v.ctrlKey||v.metaKey||v.altKey)return;let S=_n(s,v,t.length);if(S!==void 0)n(S);else if(v.key==="Enter"&&s!==null)o(s);else if(v.key==="Escape"&&s!==null)n(null);else if(v.key==="-"&&r!==void 0)r();else return;v.preventDefault(),v.stopPropagation()}}
    >
      <svg width=${u} height=${Re} aria-hidden="true">
        ${f>=0&&a`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Re} />
        `}
        ${e.slice(0,-1).map((v,S)=>a`
            <line key=${v} class="grid-line" x1="0" x2=${u}
              y1=${Re*S/(e.length-1)+.5}
              y2=${Re*S/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${Tn(t,c,d,!1)} />
        <path class="errors" d=${Tn(t,c,d,!0)} />
      </svg>
    </div>
  `}function Tn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:u,others:l}=On(r,t,Re),d=n?u:l;if(d===0)return"";let c=Re-u-(n?0:l);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function Yi(e,t){let[s,n]=Ge(t);return e.slice(s,n+1)}function Qi(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],i=o===1?"request":"requests",u=[`${s?"":"\u2265 "}${$(o)} ${i}`,`${$(r)} failed`];if(t)return u.join(", ");let[l,d]=[e[0].start,e.at(-1).end];return`${u.join(", ")} from ${je(l)} to ${je(d)}`}var Ee={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function Qt({data:e,next:t}){return{...Ee,isLoading:!1,rows:e,next:t}}function zt(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function qn(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Mn)),n=t.data.filter(i=>!s.has(Mn(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return Qt(t);let r=[...n,...e.rows].sort((i,u)=>i.time<u.time?1:i.time>u.time?-1:0);return{...e,rows:r,moreError:void 0}}function An(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,u=[...e.rows??[],...t].sort((l,d)=>i*(l[n]-d[n])).slice(0,r);return{...Ee,isLoading:!1,isSorting:s!==null,rows:u}}function Mn({id:e,time:t}){return`${t} ${e}`}var ht=50,Xe=200,zi=2e3,ea=1e4,ta=30,sa=30,Rn=50,En=1e3,gt=Rn*En;function Ln(e,t,s){let[n,o]=_(0),[r,i]=_(Ee),u=`${M(t)} ${F()}`,l=[e.hasAdmin,u,n],d=qs(l),c=P(void 0);U(()=>{let h=new AbortController;c.current=ut(t,I(),F()),c.current.set("limit",String(ht)),i(w=>({...w,isLoading:!0}));let{signal:b}=h;return(t.sort===""?na(e,c.current,b,i):oa(e,t,c.current,b,i)).then(w=>b.aborted||i(w),w=>b.aborted||i(({rows:v})=>({...Ee,...w.isPassing&&{rows:v},isLoading:!1,error:w}))),()=>h.abort()},l);let f=P(new AbortController);U(()=>{let h=new AbortController;return f.current=h,()=>h.abort()},[...l,s]),_e(async()=>{let{signal:h}=f.current;try{let b=await Ve(e,c.current,void 0,h);h.aborted||i(y=>qn(y,b))}catch(b){h.aborted||i(y=>({...y,moreError:b}))}},zi,s);let m=async()=>{let h=c.current;i(b=>({...b,isLoadingMore:!0,moreError:void 0}));try{let b=0,{next:y}=r;for(;b<ht&&y!==null&&c.current===h;){let w=await Ve(e,h,y);if(c.current!==h)return;b+=w.data.length,{next:y}=w;let v=b>=ht||y===null;i(S=>({...zt(S,w),isLoadingMore:!v}))}}catch(b){if(c.current!==h)return;i(y=>({...y,isLoadingMore:!1,moreError:b}))}},g=()=>o(h=>h+1);return Ft(r.error,g),{...r,isLoading:r.isLoading||d,loadMore:m,reload:g}}async function na(e,t,s,n){let o=Qt(await Ve(e,t,void 0,s));for(;o.rows.length<ht&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=zt(o,await Ve(e,t,o.next,s));return o}async function oa(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(Xe)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=Ee,u;for(let l=0;u!==null&&l<sa;l++){let d=await Ve(e,r,u,n);i=An(i,d,t,Xe),n.aborted||o(i),u=d.next}return i}function Ve(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),O(B(e,"requests",o),n&&{signal:n})}function Nn(e,t,s){let[n,o]=_({pages:void 0,isComplete:!1,error:void 0}),[r,i]=_(0),u=`${M(t)} ${F()}`;U(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=I(),m=ut(t,p,F());m.has("to")||m.set("to",new Date(p).toISOString());let g=[];for(let h="";h!==null&&g.length<ta;){h!==""&&m.set("before",h);let b=await O(B(e,"request_counts",m),{signal:c});if(c.aborted)return;g.push(b),{next:h}=b,o({pages:[...g],isComplete:h===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,u,r]);let l=()=>i(d=>d+1);return _e(l,ea,s),Ft(n.error,l),{...n,recount:l}}async function In(e,t){let s=ut(t,I(),F());s.set("format","csv"),s.set("limit",String(En));let n=[],o;do{o&&s.set("before",o);let r=await ys(B(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<Rn);return{text:tn(n),hasMore:o!==null}}function Dn({route:e}){let t=K(),s=Rs(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=Es(s,I(),F()),i=s.range==="custom",[u,l]=_(!1),d=r&&s.sort==="",c=u&&d,f=Ln(t,s,c),p=Nn(t,s,c),m=h=>location.hash=M(h,n,o),g=()=>{f.reload(),p.recount()};return a`
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
        <${ua} session=${t} filters=${s} counts=${p} />
      <//>
      <${nn}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&a`
        <${Cn}
          intervals=${kn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(h,b)=>m(at(s,h,b))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${ra}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${h=>m({...s,...h})}
          />
        </div>
        ${n&&a`
          <${vn}
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
  `}function ra({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:u,isLoading:l,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:a`<${L} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!l?a`<${aa} filters=${t} />`:a`
    <div class=${`stack ${l?"stale":""}`}>
      <${$n} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${l?"":ia(t,e)} />
    </div>
    <${T} error=${u} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&a`
        <button type="button" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":He(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function ia({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=e==="cost_usd"||e==="first_token_ms"?" Requests without this value are left out.":"";return t.length<Xe?`All requests of this time and these filters.${n}`:`The first ${Xe} in this order, of all requests of this time and these filters.${n}`}function aa({filters:e}){let t={...e,range:"90d",from:"",to:""};return a`
    <div class="card empty stack">
      <p>
        ${He(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&a`
        <p><a class="button" href=${M(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function ua({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=_({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await In(e,t);ft("requests.csv",c);let p=f&&new Error("The file has only the newest: choose a shorter time");r({error:p})}catch(c){r({error:c})}},u=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),l=u>gt,d=l?`newest ${$(gt)} rows`:`${$(u)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(gt)} requests`}
    >${s||l?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var Wn={};ve(Wn,{default:()=>jn});function Fn(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function Bn(e){let t=l=>e.reduce((d,c)=>d+(c[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens"),u=e.length===1?"request":"requests";return{title:`${$(e.length)} ${u} in ${Ss(o)}; ${r}, ${la(e)}`,text:i===0?"No input tokens are known.":`${C(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function la(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${k(s)}`}var Hn=1e3,ca=200,da=5;function jn({route:e}){let t=K(),s=e.path[0],n=F(),o=nt(e.query),r=[t.hasAdmin,o.range,o.from,o.to,n],i=X(()=>fa(o,n),r),{data:u,error:l,isLoading:d}=D(c=>pa(t,i,c),r);return a`
    <div class="view" data-view="sessions">
      <${ee}
        title="Sessions"
        note="Requests that clients have put together by a session ID, such as those of one agent."
      />
      <${T} error=${l} title="The sessions cannot be listed" />
      ${u===void 0&&!l&&a`<${L} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${u!==void 0&&a`
          <div class=${`list stack ${d?"stale":""}`}>
            <${ha} sessions=${u} opened=${s} />
          </div>
        `}
        ${s!==void 0&&a`
          <${ba} key=${s} id=${s} session=${t} times=${i} />
        `}
      </div>
    </div>
  `}function fa(e,t){let{from:s,isOpen:n,to:o}=ot(e,I(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function pa(e,t,s){let n={...t,group_by:"session",limit:String(Hn)},{data:o}=await O(B(e,"usage",n),{signal:s});return o.filter(r=>r.session!==null)}function Un(e){return`#/sessions/${encodeURIComponent(e)}`}function ae(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var $a=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ae("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),ae("errors","Failed",({errors:e})=>e>0?e:void 0,$),ae("input","Input",e=>e.input_tokens,A,{hint:"Input tokens",panel:"hide"}),ae("cached","Cached",ma,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ae("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ae("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,k,{hint:"What caches have saved",panel:"hide"}),ae("cost","Cost",e=>e.cost_usd,(e,t)=>a`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${k(e)}</span>`,{card:"b"})];function ma(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function ha({sessions:e,opened:t}){return e.length===0?a`
      <p class="card empty">
        No session in this time. A client names one by the header <code>x-sluice-session</code>.
      </p>
    `:a`
    <${j}
      label="Sessions"
      columns=${$a}
      rows=${e}
      idOf=${s=>s.session}
      hrefOf=${s=>Un(s.session)}
      actionsOf=${s=>[{text:"Open",href:Un(s.session)},{text:"Its requests",href:M({...re,session:s.session})},{text:"Copy the ID",copy:s.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${t}
      hasPanel=${t!==void 0}
      onClose=${t===void 0?void 0:Kn}
    />
    <p class="faint small" role="status">
      ${$(e.length)} ${e.length===Hn?"or more ":""}sessions
    </p>
  `}function Kn(){location.hash="#/sessions"}async function ga(e,t,s,n){let o=[],r;for(let i=0;i<da&&r!==null;i++){let u={...s,session:t,limit:String(ca),...r&&{before:r}},{data:l,next:d}=await O(B(e,"requests",u),{signal:n});o.push(...l),r=d}return{turns:Fn(o),hasMore:r!==null}}function ba({id:e,session:t,times:s}){let{data:n,error:o}=D(r=>ga(t,e,s,r),[e,s]);return a`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ke} text=${e} />
        </h2>
        <${vs} icon="close" label="Close the session" onClick=${Kn} />
      </header>
      <div class="stack padded">
        <${T} error=${o} title="The session cannot be shown" />
        ${!n&&!o&&a`<${L} />`}
        ${n?.turns.length===0&&a`<p>This session has no request in this time.</p>`}
        ${n?.turns.length>0&&a`<${ya} ...${n} />`}
      </div>
    </section>
  `}function ya({turns:e,hasMore:t}){let{text:s,title:n}=Bn(e),o=X(()=>va(e),[e]),r=e.findLast(i=>i.agent)?.agent;return a`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&a`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${j} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>M(re,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function va(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>a`<span title=${J(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>a`
          ${s.hasMoved&&a`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":a`<${ke} text=${s.provider} />`}
          ${s.status>=400&&a`
            <${We} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>a`<${ka} turn=${s} most=${t} />`},ae("first","First",s=>s.first_token_ms,x,{hint:"Time to first content"}),ae("cost","Cost",s=>s.cost_usd,k,{card:"d"})]}function ka({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return a`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${A(t)}
    </span>
  `}var oo={};ve(oo,{default:()=>no});var wa=3e3;function Gn({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=D(l=>O(n,{signal:l}),[n]);_e(i,wa);let u=o?.data.find(l=>l.id===e);return a`
    <${V} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&a`<${L} />`}
        ${o&&!u&&a`<p>This provider is no longer configured.</p>`}
        ${u&&a`<${_a} provider=${u} />`}
      </div>
      <//>
  `}function _a({provider:e}){let t=ts(e,"breakers"),s=ts(e,"learned_rejections");return a`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${Oa(e)}</span>
      ${e.workers?.length>1&&a`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${es}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:u})=>[ss(o,n),a`<${lt} state=${r} />`,i,u===void 0?"\u2013":`in ${x(u)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${xa} provider=${e} />
    <h3>Learned rejections</h3>
    <${es}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[ss(o,n),a`<span class="mono wrap-anywhere">${Ta(r)}</span>`])}
      empty="None."
    />
  `}function xa({provider:e}){let t=ts(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?a`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:a`
    <${es}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[ss(Sa(e,n),s),o??"all",r,`in ${x(i)}`])}
      empty="None."
    />
  `}function es({label:e,columns:t,rows:s,empty:n}){return s.length===0?a`<p class="soft">${n}</p>`:a`
    <${me} label=${e}>
      <thead>
        <tr>${t.map(o=>a`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>a`
            <tr key=${r}>${o.map((i,u)=>a`<td key=${u}>${i}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function ts({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function ss(e,t){return a`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&a`<span class="faint small"> worker ${t}</span>`}
  `}function Sa({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function Oa({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function Ta(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="string"?s:JSON.stringify(s)}`).join(", ")}var Ca=[...Ut.keys()],Vn={id:"state",isRising:!0};function Jn({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=_(null),u=X(()=>Aa(s),[s]);if(e.length===0)return a`<p class="card empty">No provider is enabled.</p>`;let l=({id:c})=>[{text:"Breakers and keys",href:Xn(c)},{text:"Its requests",href:M({...re,provider:c})},{text:"Its failures",href:M({...re,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return a`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">Providers</h2>
        ${t&&a`
          <span class="faint small">Attempts and durations since ${ie(t)}</span>
        `}
      </div>
      <${j} label="Providers" columns=${u} rows=${Ht(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>Xn(c)} actionsOf=${l}
        order=${Vn} current=${o} />
    </section>
    ${o!==void 0&&a`
      <${Gn} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&a`<${Ea} id=${r} onClose=${()=>i(null)} />`}
  `}function Xn(e){return`#/status/${encodeURIComponent(e)}`}function Zn(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>Ca.indexOf(t),cell:({state:t})=>a`<${Ma} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>st(s)||s==="ok"?t?.since:void 0,text:t=>a`<span title=${J(t)}>${ie(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>Yn(t,e),cell:t=>a`<${qa} entry=${t} now=${e} />`}]}function Ma({state:e}){return e==="limited"?a`<span class="st slow">${Ut.get(e).text}</span>`:a`<${Me} state=${e} />`}function Yn({health:e,last_failure:t},s){let n=e==null?"":we(e,s),o=t?`${Ds(t)}, ${xs(t.time,s)}`:"";return[n,o].filter(r=>r!=="").join("; ")}function qa({entry:e,now:t}){let{last_failure:s}=e,n=Yn(e,t);if(!s)return a`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return a`<a class="failure" href=${M(re,o,r)} title=${n}>${n}</a>`}function Aa(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},{id:"kind",title:"Kind",of:({id:t,kind:s})=>s===t?void 0:s},...Zn(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>a`<${Ra} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,of:t=>t.in_flight,text:$},...Qn(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that succeeded after all"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:x},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:x},zn(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function Qn(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function zn(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>a`
        ${e==="closed"?a`<span class="faint">Closed</span>`:a`<${lt} state=${e} />`}
          ${t>0&&a`<span class="faint small"> tries again in ${x(t)}</span>`}
      `}}function Ra({history:e}){let t=Ps(e);return a`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>a`<span key=${n} class=${Fs(s)??"none"}></span>`)}
    </span>
  `}function Ea({id:e,onClose:t}){let[s,n]=_({}),o=async()=>{n({isBusy:!0});let l=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await O(l,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:u}=s;return a`
    <${V} title=${`Reset ${e}`} onClose=${t} class="narrow">
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
  `}function eo({models:e,now:t}){let s=X(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>a`<${ke} text=${n} />`},...Zn(t),...Qn(),zn()],[t]);return e.length===0?null:a`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${j} label="Targets" columns=${s} rows=${Ht(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${Vn} />
    </section>
  `}var La=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>a`<span title=${e}>${e}</span>`}];function to({providers:e}){return e.length===0?null:a`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${j} label="Disabled providers" columns=${La} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var ns=120,Le=26,so=60;function bt({values:e,tone:t=""}){let s=Math.max(1,...e),n=so-e.length,o=i=>((n+i)/(so-1)*ns).toFixed(1),r=e.map((i,u)=>{let l=Le-1-i/s*(Le-3);return`${o(u)},${l.toFixed(1)}`}).join(" ");return a`
    <svg
      class=${`sparkline ${t}`}
      height=${Le}
      viewBox=${`0 0 ${ns} ${Le}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Le} ${r} ${ns},${Le}`}
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
  `}var Na=.05;function no({route:e}){let t=K(),{state:s,history:n,isLive:o,error:r}=Bs(B(t,"live")),i=t.hasAdmin?"All providers of this gateway.":"The providers of the models that your key may use.";return a`
    <div class="view" data-view="status">
      <${ee} title="Providers" note=${i}>
        <${Pa} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&a`<${L} text="Connecting" />`:a`
        <${Ia} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function Ia({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(u=>u.enabled),r=e.providers.filter(u=>!u.enabled),i=Date.parse(e.at);return a`
    <${Da} state=${e} now=${i} />
    <${Ba} config=${e.config} />
    <${Fa} state=${e} history=${t} enabled=${o.length} />
    <${Jn} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${eo} models=${e.models??[]} now=${i} />
    <${to} providers=${r} />
  `}function Da({state:e,now:t}){let s=Is(e,t);if(s.length===0)return a`
      <p class="banner good" role="status">
        Nothing is wrong now: no target fails, is slow or has suspended keys.
      </p>
    `;let n=s.some(({tone:o})=>o==="bad");return a`
    <section class=${`banner ${n?"bad":"warn"}`} aria-labelledby="problems-title">
      <h2 id="problems-title">
        ${s.length===1?"1 provider has":`${s.length} providers have`} a problem now
      </h2>
      <ul class="problems">
        ${s.map(({id:o,text:r})=>a`
            <li key=${o}><strong class="mono">${o}</strong> ${r}</li>
          `)}
      </ul>
    </section>
  `}function Pa({isLive:e,state:t,error:s}){return e?a`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${ie(t.at)}</time>
      </span>
    `:a`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&a`<time class="faint mono">last at ${ie(t.at)}</time>`}
    </span>
  `}function Fa({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:u}=e,l=o>0?r/o:0;return a`
    <dl class="figure-grid card">
      <${N} label="In flight" value=${$(n)}>
        <${bt} values=${t.map(d=>d.in_flight)} />
        <//>
        <${N} label="Requests per second" value=${Be(o)}>
          <${bt} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${N}
            label="Errors per second"
            value=${Be(r)}
            note=${l>0?`${C(l,1)} of requests`:""}
            tone=${l>=Na?"bad":""}
          >
        <${bt} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${N}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${u&&a`
        <${N}
          label="Configuration"
          value=${u.valid?"Valid":"Stale"}
          tone=${u.valid?"":"warn"}
          note=${u.loaded_at&&`loaded ${ie(u.loaded_at)}`}
        />
      `}
    </dl>
  `}function Ba({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return a`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${J(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&a`<p>${n}</p>`}
      ${t.length>0&&a`
        <ul class="faults mono">
          ${t.map((o,r)=>a`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var Zo={};ve(Zo,{default:()=>Jo});var yt=36e5,Ua=48*yt,Ha="month",ue=["key","team","owner","model","provider","tag","end_user"],ja=["requests","errors","tokens","cost","latency"],Je={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(ue.map(e=>[e,""]))};function vt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=ue.includes(t)?t:Je.by;return{...nt(e,Ha),by:o,then:ue.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:ja.includes(s)?s:Je.show,tab:e.get("tab")==="bill"?"bill":Je.tab,...Object.fromEntries(ue.map(r=>[r,e.get(r)??""]))}}function Ne(e){return Object.fromEntries(ue.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Ie(e,t="usage"){let s=new URLSearchParams;Cs(s,e);for(let n of Object.keys(Je))e[n]!==Je[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function Ze(e,t,s){let{from:n,isOpen:o,to:r}=ot(e,t,s),i=r-n<=Ua?"hour":"day",u=[],l=i==="hour"?n-n%yt:H(n,s);for(;l<r;)u.push(l),l=i==="hour"?l+yt:H(l,s,1);return{from:Math.min(n,u[0]??n),to:r,end:l,isOpen:o,unit:i,zone:s,starts:u}}function ro(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:z(e,s)}function io(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?H(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*yt)),l=e.range==="month"||e.range==="last-month"?$e(t,n,-1):H(t,n,-i),d=H(l,n,i);return{now:{from:t,to:r},before:{from:l,to:Math.min(d,t)}}}function kt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var ao=5,os=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:A,isWhole:!0},{id:"cost",name:"Cost",of:R,format:k,isWhole:!1},{id:"latency",name:"Duration",format:Ka,isWhole:!1,isLines:!0}];function Ka(e){return e===0?"0":x(e)}function co(e){return os.find(t=>t.id===e)}function R({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function W(e){if(e===void 0)return k(0);let t=R(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${k(t)}`:k(t)}function fo(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function po(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function $o(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,u)=>i+u.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=Ye(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${W(r)}, all requests are ${$(e.requests)} and ${W(e)}.`}function le(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function mo(e,t,{by:s,show:n}){let{unit:o}=t,r=co(n),{times:i,positions:u}=go(t),l=new Map;for(let g of e){let h=u.get(g[o]);if(h===void 0)continue;let b=g[s]??null,y=l.get(b);y===void 0&&(y={name:le(b,s),values:i.map(()=>0),sums:Ye()},l.set(b,y)),y.values[h]=r.of(g),y.sums=Ye(y.sums,g)}let d=({sums:g})=>r.of(g)??-1,c=[...l.values()].sort((g,h)=>d(h)-d(g)),f=c.slice(0,ao).map(g=>lo(g,r)),p=c.slice(ao),m=Ye(...c.map(({sums:g})=>g));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:bo(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,lo(Wa(p),r,!0)]}}function ho(e,t,s){let{times:n,positions:o}=go(t),r=uo.map(({name:i,member:u})=>({name:i,isOther:!1,isPartial:!1,total:s?.[u]??null,values:n.map(()=>null)}));for(let i of e){let u=o.get(i[t.unit]);u!==void 0&&uo.forEach(({member:l},d)=>r[d].values[u]=i[l]??null)}return{metric:co("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:bo(n,t),unpriced:0,series:r}}var uo=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function go(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[ro(n,e),o]));return{times:t,positions:s}}function bo(e,{zone:t}){return e.map(s=>(s+Ts(s,t))/1e3)}function rs(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function lo({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function Wa(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>Xa(e.map(n=>n.values[s]))),sums:Ye(...e.map(({sums:t})=>t))}}var Ga=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function Ye(...e){return Object.fromEntries(Ga.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function Xa(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var Va=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>le(e.provider,"provider")},{id:"cost",title:"Cost",of:R,cell:W,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:k},{id:"share",title:"Of its cost",isNumber:!0,of:e=>R(e)?e.unused_cost_usd/R(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:A,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:A,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:A,isNumber:!0}];function yo({entries:e,total:t}){let s=t?.unused_cost_usd??0;return a`
    <p>
      ${s>0?a`<strong>${k(s)}</strong> was paid for answers that were not used, ${C(s,R(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${j} label="Cost by provider" columns=${Va} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var Ja="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),vo={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function ko(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),u=l=>s.top+s.height*(1-l/t);return e.map(({values:l})=>l.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,g=u(i[f]);return`M${ce(m)} ${ce(g)}h${ce(r)}V${ce(u(p))}h${ce(-r)}z`}).join(""))}function wo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let u=ce(s.left+n*(i+.5)),l=ce(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${u} ${l}h0`:`L${u} ${l}`}).join(""))}var wt={height:240,left:64,right:8,top:14,bottom:26};function _o({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:u,left:l,top:d}=wt,c=s.at(-1),f=is([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-wt.right,g=y=>ce(l+(m-l)*(y-e)/(t-e)),h=y=>ce(d+(u-d-i)*(1-y/p)),b=`M${g(c.time)} ${h(c.usd)}`;return{ticks:f,x:g,y:h,right:m,spent:s.map(({time:y,usd:w},v)=>`${v===0?"M":"L"}${g(y)} ${h(w)}`).join(""),band:n&&`${b}L${m} ${h(n.high)}V${h(n.low)}z`,line:n&&`${b}L${m} ${h(n.usd)}`,budget:o===void 0?void 0:`M${l} ${h(o)}H${m}`}}function is(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,u=t?Math.max(1,i*r):i*r,l=Math.ceil(o/u-1e-9);return Array.from({length:l+1},(d,c)=>Number((c*u).toPrecision(12)))}function xo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=vo[t].find(r=>e.length/r<=n)??vo[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:Za(r,t)}]:[])}function Za(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${Ja[s.getUTCMonth()]}`}function as(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function ce(e){return Math.round(e*10)/10}var _t=240,ge=64,So=8,xt=10,Ya=26,Qa=48;function Oo({chart:e,linkOf:t}){let[s,n]=_(null),{isOpen:o,metric:r,unit:i,times:u,series:l,unpriced:d,zone:c}=e,f=s!==null&&s<u.length?s:null;return a`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${as(u[f],i)} ${c}`}
        </span>
      </figcaption>
      <${za} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${l.map(({name:p,values:m,isOther:g,...h},b)=>a`
            <li key=${`${b}${p}`}>
              <span class=${`swatch ${Co(g,b)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?To(h,r):us(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&a`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${eu} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function za({chart:e,hovered:t,onHover:s,linkOf:n}){let o=P(null),r=Ae(o),{isOpen:i,metric:u,unit:l,times:d,series:c}=e,f={left:ge,top:xt,width:r-ge-So,height:_t-xt-Ya},p=f.width/d.length,m=is(c,u),g=u.isLines?wo:ko,h=r===0?[]:g(c,m.at(-1),f),b=v=>f.top+f.height*(1-v/m.at(-1)),y=v=>{let S=v.clientX-o.current.getBoundingClientRect().left-ge,E=Math.floor(S/p);s(E>=0&&E<d.length?E:null)},w=`${u.name} per ${l}: ${c.map(({name:v,...S})=>`${v} ${To(S,u)}`).join(", ")}`;return a`
    <div
      class=${u.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a time"
      onPointerMove=${y}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${_t}
        viewBox=${`0 0 ${r} ${_t}`}
        role="img"
        aria-label=${w}
      >
        ${t!==null&&a`
          <rect
            class="hovered"
            x=${ge+t*p}
            y=${xt}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(v=>a`
            <g key=${v}>
              <line class="grid" x1=${ge} x2=${r-So} y1=${b(v)} y2=${b(v)} />
              <text x=${ge-8} y=${b(v)+4} text-anchor="end">${u.format(v)}</text>
            </g>
          `)}
        ${h.map((v,S)=>a`<path key=${S} class=${Co(c[S].isOther,S)} d=${v} />`)}
        ${i&&!u.isLines&&r>0&&a`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${ge+(d.length-1)*p} y=${xt} width=${p}
            height=${f.height} />
        `}
        ${r>0&&xo(d,l,f.width).map(({index:v,text:S})=>a`
            <text
              key=${v}
              x=${ge+(v+.5)*p}
              y=${_t-8}
              text-anchor=${(d.length-v-.5)*p<Qa/2?"end":"middle"}
            >${S}</text>
          `)}
      </svg>
    </div>
  `}function us(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function To({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${us(e,s)}`}function Co(e,t){return e?"series-other":`series-${t+1}`}function eu({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,u]=_(!1);return a`
    <details onToggle=${l=>u(l.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${i&&a`
        <${me} label=${`${s.name} per ${n}`}>
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
                    <a href=${o(d)}>${as(l,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>a`
                      <td key=${f} class="number">${us(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var qo=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function ls({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[z(t,n),z(s-1,n),...r].join("_")}.csv`}function Ao({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(u=>u),i=[[...r,...qo]];for(let u of t??s)i.push([...r.map(l=>le(u[l],l)),...Mo(u)]);return i.push([...r.map((u,l)=>l===0?"Total":""),...Mo(o??{})]),i.map(u=>u.map(tu).join(",")+`
`).join("")}function Mo(e){return qo.map(t=>e[t]??(t==="cost_usd"?"":0))}function tu(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function Ro({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${ls(e)}
      onClick=${()=>ft(ls(e),Ao(e))}>CSV, ${s}</button>
  `}var su={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function Eo({choice:e,session:t,onChange:s}){let[n,o]=_(e),r=pt(t),i=ue.map(c=>e[c]).join(`
`);U(()=>o(e),[i]);let u=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&nu(c,e)})},l=new Set(["key","team","owner"]),d=ue.filter(c=>!l.has(c)||t.hasAdmin);return a`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>a`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${su[c]}</label>
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
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(ue.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function nu(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}var ou=864e5,ru=7,iu=3;function No({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=H(s,n),i=[];for(let p=1;p<=ru;p++){let m=H(r,n,-p);if(m<o)break;i.push(t.get(z(m,n))??0)}if(i.length<iu)return;let l=($e(s,n,1)-s)/ou,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*l;return{usd:f(c),low:f(Lo(d,.1)),high:f(Lo(d,.9)),mean:c,left:l,days:i.length}}function Io({spent:e,costs:t,now:s,zone:n}){let[o,r]=[$e(s,n),$e(s,n,1)],i=[{time:o,usd:0}];for(let u=o;u<H(s,n);){let l=i.at(-1).usd+(t.get(z(u,n))??0);u=H(u,n,1),i.push({time:u,usd:l})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function Do(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function Lo(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function Po(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:u,unpriced:l,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=u??0,f=l>0?"at least ":"";if(!n)return{title:`${r}: ${u===null?"an unknown cost":`${f}${k(c)}`}`,text:`${$(i)} requests.`};let p=oe(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${k(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,g=t===void 0?"":m>0?`, ${G(m)} over the budgets`:`, ${G(-m)} under the budgets`;return{title:`${p} will end near ${f}${G(s.usd)}${g}`,text:`${k(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${k(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${G(s.low)} and ${G(s.high)}.`}}function G(e){return e<100?k(e):`$${$(Number(e.toPrecision(3)))}`}var au=new Set(["(other)","(unreadable)"]);function Fo(e,{from:t,to:s},n={}){let o=Object.entries(Ne(e)).filter(([r])=>Ue.includes(r));return M(at({...re,...Object.fromEntries(o),...n},t,s))}function cs(e,t,s,n,o=""){if(!(n==null||au.has(n)))return Ue.includes(s)?Fo(e,t,{[s]:n,status:o}):Ie({...e,[s]:n,by:"key",then:""})}function Bo(e,{end:t,starts:s},n){return Fo(e,{from:s[n],to:s[n+1]??t})}async function St(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}var uu=2e4,lu=8;function Uo(e,t,s){let n=Ne(t),o=m=>{let g=async(b,y,w=s)=>{let v={...kt(y,w),...n,...b!==""&&{group_by:b}},{parts:S,hasMore:E}=await St(async Z=>{let{data:q,next:se}=await O(B(e,"usage",{...v,...Z}),{signal:m});return{part:q,next:se}});return{entries:S.flat(),hasMore:E}},h=()=>e.hasAdmin?Promise.all([rt({},m),g("key",Ze(t,I(),s))]).then(([b,{entries:y}])=>Do(b,y,t)).catch(()=>{}):O("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:b})=>hu(b)?b.limit_usd:void 0);return cu({choice:t,get:g,now:I(),zone:s,budgets:h})},{by:r,from:i,prefix:u,range:l,show:d,then:c,to:f}=t,p=[e.hasAdmin,l,i,f,r,c,u,s,d==="latency"];return D(o,[...p,JSON.stringify(n)])}async function cu({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,u=Ze(e,s,n),l=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(u.from,H(s,n,-lu)),to:s+1}:void 0,f=d&&mu.every(Y=>e[Y]===""),[p,m,g,h,b,y,w]=await Promise.all([t("",u),t(r,u),i===""?void 0:t(`${r},${i}`,u),t("model,provider",u),c&&t("day",c),pu(e,t,u),f?o():void 0]),v=m.entries.length*u.starts.length,S=m.hasMore||v>uu,E=await t(S||l?u.unit:`${u.unit},${r}`,u),Z=p.entries[0],q=Z===void 0?0:R(Z),se=new Map((b?.entries??[]).map(Y=>[Y.day,R(Y)??0])),tt={spent:q??0,costs:se,now:s,zone:n},gs=b&&No({...tt,since:y.since}),It=Y=>r==="tag"&&e.prefix!==""?po(Y,e.prefix):Y;return{total:Z,period:u,choice:e,by:r,then:i,isLatency:l,isTogether:S,budget:w,forecast:gs,course:d?Io(tt):void 0,headline:{spent:q,forecast:gs,budget:w,now:s,zone:n,isMonth:d,requests:Z?.requests??0,unpriced:Z?.unpriced_requests??0},groups:It(m.entries),hasMore:m.hasMore,detailed:g&&It(g.entries),prefixes:r==="tag"?fo(m.entries):[],series:S||l?E.entries:It(E.entries),compared:y.result,bill:du(h.entries),unpriced:h.entries.filter(({unpriced_requests:Y})=>Y>0).sort((Y,Nr)=>Nr.unpriced_requests-Y.unpriced_requests)}}function du(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...fu(s),provider:t}))}function fu(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function pu(e,t,s){let n=io(e,s),o=$e(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[u,l]=await Promise.all([t("",n.now),t("",n.before)]),d=u.entries[0]&&l.entries[0]?{now:u.entries[0],before:l.entries[0],name:$u(n.before,s.zone)}:void 0;return{since:i,result:d}}function $u({from:e,to:t},s){return oe(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var mu=["model","provider","tag","end_user"];function hu(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var Ho=14;function jo({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=P(null),r=Ae(o),{start:i,end:u,points:l}=t,{height:d,left:c,top:f}=wt,{right:p,ticks:m,x:g,y:h,...b}=_o({course:t,forecast:s,budget:e,width:r}),y=oe(n,{day:"numeric",month:"short"}),w=l.at(-1),v=[i,(i+u)/2,u-1],S=[`${k(w.usd)} on ${y.format(w.time)}`,s&&`forecast ${G(s.usd)} on ${y.format(u-1)}, between ${G(s.low)} and ${G(s.high)}`,e!==void 0&&`the budget is ${k(e)}`].filter(Boolean).join("; ");return a`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${y.format(u-1)}: ${G(s.usd)}`:`Until ${y.format(w.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${S}>
          ${m.map(E=>a`
              <g key=${E}>
                <line class="grid" x1=${c} x2=${p} y1=${h(E)} y2=${h(E)} />
                <text x=${c-8} y=${h(E)+4} text-anchor="end">${k(E)}</text>
              </g>
            `)}
          ${v.map((E,Z)=>a`
              <text key=${z(E,n)} x=${g(E)} y=${d-8}
                text-anchor=${["start","middle","end"][Z]}>${y.format(E)}</text>
            `)}
          ${b.band&&a`<path class="band" d=${b.band} />`}
          ${b.budget&&a`<path class="budget-line" d=${b.budget} />`}
          <path class="spent" d=${b.spent} />
          ${b.line&&a`<path class="forecast" d=${b.line} />`}
          ${b.budget&&a`
            <text x=${c+4} y=${h(e)+(h(e)<f+Ho?Ho:-4)}
            >Budget ${k(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&a`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var Ko={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},ds=e=>({of:t=>t[e],text:A,isNumber:!0});function gu(e,t){let s=e?R(e)??0:0;return[{id:"cost",title:"Cost",of:R,cell:W,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(R(n)??0)/s:void 0,cell:n=>C(R(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?a`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...ds("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...ds("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...ds("output_tokens")},...Oe.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:k},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:x,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:x,isNumber:!0}]}function Wo({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,u]=_({id:"cost",isRising:!1}),l=Ko[s]+(n===""?"":`, ${Ko[n].toLowerCase()}`),d=[{id:"name",title:l,isRisingFirst:!0,card:"a",of:({isSub:f,...p})=>le(p[f?n:s],f?n:s)},...gu(o,r)],c=X(()=>{let f=d.find(({id:g})=>g===i.id),p=Dt(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,g=>g[s]);return p.flatMap(g=>[g,...Dt((m.get(g[s])??[]).map(h=>({...h,isSub:!0})),f,i.isRising)])},[e,t,i]);return a`
    <${j} label=${`Usage by ${l.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${u} />
  `}var bu=.05;function Go({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:u=0,output_tokens:l=0}=o??{},d=o?R(o):0;return a`
    <dl class="figure-grid card">
      <${N} label="Cost" value=${W(o)}
        note=${yu(t!==void 0&&`${C(d??0,t)} of ${k(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&a`
        <${N} label="Forecast" value=${G(n.usd)}
          note=${`${G(n.low)} to ${G(n.high)}`} />
      `}
      ${s&&a`
        <${N} label=${`Against ${s.name}`} value=${rs(R(s.now),R(s.before))||"\u2013"}
          note=${`${W(s.now)} against ${W(s.before)}, full days`} />
      `}
      <${N} label="Requests" value=${$(r)}
        note=${s&&rs(s.now.requests,s.before.requests)} />
      <${N} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*bu?"bad":""} />
      <${N} label="Input tokens" value=${A(u)} note=${vu(o)} />
      <${N} label="Output tokens" value=${A(l)} note=${ku(o)} />
      ${$t([o]).map(({id:c,title:f,text:p})=>a`<${N} key=${c} label=${f} value=${p(o[c])} />`)}
      <${N} label="Duration, p50" value=${r>0?x(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${x(o.p95_ms)}`:""} />
    </dl>
  `}function yu(...e){return e.filter(t=>t).join(", ")}function vu(e){return e?.cached_input_tokens>0?`${A(e.cached_input_tokens)} cached`:""}function ku(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var wu=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],Xo=["tag","end_user"],_u=["team","owner","key"];function Ot(e,t,s=""){let n=Xo.filter(o=>t[o]!==""||o===s);return wu.filter(([o])=>(e.hasAdmin||!_u.includes(o))&&o!==s&&(!Xo.includes(o)||n.every(r=>r===o)))}function xu(e,t){let s=(r,i)=>r.some(([u])=>u===i),n=s(Ot(e,t),t.by)?t.by:"model",o=s(Ot(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function Jo({route:e}){let t=K(),s=ct(),n=xu(t,vt(e.query)),{data:o,error:r,isLoading:i,reload:u}=Uo(t,n,s),l=f=>location.hash=Ie({...n,...f}),{title:d,text:c}=o?Po({...o.headline,rangeName:Ms(n,s)}):{title:"Usage",text:""};return a`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${u}
            disabled=${i}>Refresh</button>
          ${o&&a`<${Ro} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${Eo} choice=${n} session=${t} onChange=${l} />
      ${o&&a`<${Su} choice=${n} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&a`<${L} text="Loading the usage" />`}
      ${o&&a`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${Go} data=${o} />
          <${Ou} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row"><${pe} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>l({tab:f})} /></div>
          ${o.groups.length===0?a`<div class="card empty">No request has ended in this time.</div>`:n.tab==="bill"?a`<${yo} entries=${o.bill} total=${o.total} />`:a`
              <${Tu} data=${o} choice=${n} session=${t} onChange=${l} />
            `}
        </div>
      `}
    </div>
  `}function Su({choice:e,period:t}){let s=Object.entries(Ne(e)).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return a`
    <p class="only-print">
      ${[`${J(t.from)} to ${J(Math.min(t.to,I()))}`,...s].join(", ")}
    </p>
  `}function Ou({entries:e,canSet:t}){if(e.length===0)return null;let s=e.reduce((o,r)=>o+r.unpriced_requests,0),n=[...new Set(e.map(({model:o})=>o??"(no model)"))];return a`
    <div class="to-do row spread">
      <p>
        <strong>${$(n.length)} ${n.length===1?"model has":"models have"} no
          price.</strong>${" "}
        ${$(s)} ${s===1?"request is":"requests are"} not in these
        sums:${" "}
        ${n.slice(0,12).map((o,r)=>a`${r>0&&", "}<code class="wrap-anywhere">${o}</code>`)}${n.length>12&&`, and ${$(n.length-12)} more`}.
      </p>
      ${t&&a`<a class="button" href="#/config">Set prices</a>`}
    </div>
  `}function Tu({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:u,isLatency:l,isTogether:d,period:c,series:f,then:p,total:m}=e,g=l?ho(f,c,m):mo(f,c,{by:d?null:o,show:Vo(t)}),h=e.course!==void 0&&Vo(t)==="cost",b=(y,w)=>e.choice.prefix===""?cs(e.choice,c,o,y[o],w):cs(e.choice,c,o,`${e.choice.prefix}:${y[o]}`,w);return a`
    <div class="row spread">
      <div class="row">
        <${pe} label="Group by" value=${t.by} options=${Ot(s,t)}
          onChange=${y=>n({by:y,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${y=>n({then:y.target.value})}>
            <option value="">nothing</option>
            ${Ot(s,t,t.by).map(([y,w])=>a`<option key=${y} value=${y}>${w}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&a`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${y=>n({prefix:y.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(y=>a`<option key=${y} value=${y}>${y}:</option>`)}
            </select>
        `}
      </div>
      <${pe} label="Figure of the chart" value=${t.show}
        options=${os.map(({id:y,name:w})=>[y,w])}
        onChange=${y=>n({show:y})} />
    </div>
    <div class=${h?"usage-charts":""}>
      <${Oo} chart=${g} linkOf=${y=>Bo(e.choice,c,y)} />
      ${h&&a`<${jo} data=${e} />`}
    </div>
    ${d&&!l&&a`
      <p class="hint">
        There are ${u?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&a`<p class="hint">${$o(m,i,u)}</p>`}
    <section>
      <${Wo} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${b} />
    </section>
  `}function Vo({show:e}){return e==="latency"?"requests":e}var fr={};ve(fr,{default:()=>dr});var Yo=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function de(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function Qo(e){let t=R(e),{net:s,unknown:n}=de(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function zo(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function er(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}var tr={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache by themselves.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Asks the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function sr({total:e}){let t=de(e);return a`
    <div class="saving-grid">
      <${Cu} total=${e} amounts=${t} />
      <${Mu} total=${e} />
      <${qu} total=${e} amounts=${t} />
      <${Au} total=${e} amounts=${t} />
      <${Ru} total=${e} amounts=${t} />
      <${Eu} total=${e} />
    </div>
  `}function Cu({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return a`
    <${De}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${k(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",k(t.reads)],["Writes cost",k(t.writes)],["Cached input",`${C(s,o)}, ${A(s)} of ${A(o)}`],["Written",`${A(n)} tokens`],Tt(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function Mu({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=zo(e);return a`
    <${De}
      id="sessions"
      title="Sessions that stay"
      isUsed=${er(e)>0}
      value=${k(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",nr(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function qu({total:e,amounts:t}){return a`
    <${De}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${k(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Tt(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function Au({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return a`
    <${De}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${k(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],Tt(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function Ru({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return a`
    <${De}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${k(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],Tt(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function Eu({total:e}){let{queued_requests:t,queued_ms:s}=e;return a`
    <${De}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",x(t===0?0:s/t)],["All waits",x(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function nr(e){return e===1?"1 request":`${$(e)} requests`}function Tt(e){return e>0?["Unknown price",`${nr(e)}, not included`]:void 0}function De({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:u}){return a`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?a`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${ne} class="saving-facts" facts=${i.filter(l=>l)} />
          <p class="hint">${u}</p>
        `:a`<${Lu} id=${e} />`}
    </section>
  `}function Lu({id:e}){let{text:t,config:s}=tr[e];return a`
    <p class="soft">No request used it in this time.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${Q} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}function or(e){let[t,s]=_({id:e,isRising:!1});return[t,o=>s(r=>({id:o,isRising:r.id===o&&!r.isRising}))]}function rr(e,t,{id:s,isRising:n}){let{of:o}=t.find(u=>u.id===s),r=u=>o(u)??-1/0,i=n?1:-1;return e.toSorted((u,l)=>{let[d,c]=[r(u),r(l)];return d===c?0:i*(d<c?-1:1)})}function ir({title:e,id:t,order:s,onSort:n,class:o="number"}){let r=s.id===t,i=s.isRising?"ascending":"descending";return a`
    <th scope="col" class=${o} aria-sort=${r?i:void 0}>
      <button type="button" class="sort" onClick=${()=>n(t)}>
        ${e}
        <span aria-hidden="true">${r?s.isRising?"\u2191":"\u2193":""}</span>
      </button>
    </th>
  `}var Ct=500;function ar({entries:e,label:t,by:s,title:n,columns:o,first:r,note:i,linkOf:u}){let[l,d]=or(r),c=rr(e,o,l);return a`
    <section class="card">
      <${me} label=${t}>
        <thead>
          <tr>
            <th scope="col">${n}</th>
            ${o.map(({id:f,title:p})=>a`
                <${ir} key=${f} title=${p} order=${l} id=${f}
                  onSort=${d} />
              `)}
          </tr>
        </thead>
        <tbody>
          ${c.slice(0,Ct).map(f=>a`
              <tr key=${String(f[s])}>
                <th scope="row" class=${`name ${f[s]===null?"faint":"mono"}`}>
                  <${Nu} text=${le(f[s],s)} link=${u?.(f)} />
                </th>
                ${o.map(({id:p,of:m,text:g})=>a`<td key=${p} class="number">${g(m(f),f)}</td>`)}
              </tr>
            `)}
        </tbody>
        <//>
      ${i}
    </section>
  `}function Nu({text:e,link:t}){return t?a`<a href=${t}>${e}</a>`:e}var Iu={model:"Alias or model",provider:"Provider",key:"Key"},Du=[{id:"requests",title:"Requests",of:e=>e.requests,text:$},{id:"cached",title:"Cached input",of:e=>e.input_tokens===0?null:e.cached_input_tokens/e.input_tokens,text:(e,t)=>C(t.cached_input_tokens,t.input_tokens)},...[["prompt","Prompt caching"],["response","Response cache"],["order","Cheapest first, est."],["hedges","Hedges cost"]].map(([e,t])=>({id:e,title:t,of:s=>de(s)[e],text:ur})),{id:"net",title:"Net saved",of:e=>de(e).net,text:(e,t)=>`${ur(e)}${de(t).unknown>0?" and unknown":""}`},{id:"cost",title:"Cost",of:R,text:(e,t)=>W(t)}];function ur(e){return e===0?"\u2013":k(e)}function lr({entries:e,hasMore:t,by:s}){let{length:n}=e,o=(t||n>Ct)&&a`
    <p class="hint padded">
      The first ${$(Math.min(Ct,n))} of
      ${t?"more than ":""}${$(n)}.
    </p>
  `;return a`
    <${ar} entries=${e} label=${`Savings by ${s}`} by=${s} title=${Iu[s]}
      columns=${Du} first="net" note=${o} />
  `}var cr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function dr({route:e}){let t=K(),s=t.hasAdmin?cr:cr.filter(([p])=>p!=="key"),n=vt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=ct(),{data:u,error:l,isLoading:d,reload:c}=Pu(t,r,i),f=p=>location.hash=Ie({...r,...p},"savings");return a`
    <div class="view" data-view="savings">
      <${ee}
        title="Savings"
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
      <//>
      <${T} error=${l} title="No savings" />
      ${!u&&!l&&a`<${L} text="Loading the savings" />`}
      ${u&&a`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${u.total&&a`<${Fu} total=${u.total} />`}
          ${!u.total&&a`
            <p class="card empty">No request has ended in this time.</p>
          `}
          <${sr} total=${u.total??Yo} />
          ${u.total&&a`
            <div class="row">
              <${pe}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${lr} entries=${u.groups} hasMore=${u.hasMore} by=${u.by} />
          `}
        </div>
      `}
    </div>
  `}function Pu(e,t,s){let{range:n,from:o,to:r,by:i}=t;return D(async l=>{let d=kt(Ze(t,I(),s),s),c=m=>O(B(e,"usage",{...d,...m}),{signal:l}),[f,p]=await Promise.all([c({}),St(async m=>{let{data:g,next:h}=await c({group_by:i,...m});return{part:g,next:h}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function Fu({total:e}){let{net:t,unknown:s}=de(e),n=Qo(e),o=[n!==null&&`${C(n,1)} of what it would have cost`,s>0&&`without ${$(s)} of an unknown price`].filter(r=>r);return a`
    <dl class="figure-grid card">
      <${N} label="Saved, net" value=${k(t)} note=${o.join("; ")} />
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
  `}var Lr={};ve(Lr,{default:()=>Er});var Mt=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],Te=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],qt=3;function be(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(Te.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(pr.map(r=>[r,e?.[r]??""]))}}var pr=["owner","team","note"];function $r(e){let t=Object.entries(fs(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function At(e,t){let s=fs(be(t));return Object.fromEntries(Object.entries(fs(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function fs(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=Te.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,mr(e[n])])),budget:e.usd.trim()===""?null:Bu(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(pr.map(n=>[n,e[n].trim()||null]))}}function Bu({usd:e,per:t,unknownPrices:s}){let n={usd:mr(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function mr(e){let t=Number(e);return Number.isFinite(t)?t:e}function Pe(e){return Te.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function te({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${k(e)} ${s}`}function hr(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:u,owner:l}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${te(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...l===null?[]:[`Hello ${l},`],`your key "${u}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function gr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Rt({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=l=>d=>t({...e,[l]:d.target.value}),r=(l,d)=>a`
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
    `,[i]=_(()=>Te.slice(qt).some(([l])=>e[l]!=="")),u=(l,d,c=[])=>a`
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
          ${Mt.map(([l,d])=>a`<option key=${l} value=${l}>${d}</option>`)}
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
        ${Te.slice(0,qt).map(([l,d])=>r(l,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${Te.slice(qt).map(([l,d])=>r(l,d))}
        </div>
      </details>
    </fieldset>
  `}function Ce(e){let[t,s]=_({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function ye({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function br({entry:e,onChanged:t,onClose:s}){let[n,o]=_(()=>be(e)),{isBusy:r,error:i,start:u}=Ce(async()=>{let l=At(n,e);Object.keys(l).length>0&&(await O(ye(e),{method:"PATCH",body:l}),t()),s()});return a`
    <${V} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${u}>
        <${Rt} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${i} title="Not changed" />
        <${ps} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function yr({entry:e,onChanged:t,onClose:s}){let[n,o]=_("1h"),[r,i]=_(void 0),{isBusy:u,error:l,start:d}=Ce(async()=>{let c={overlap:n.trim()||"0s"};i(await O(`${ye(e)}/rotate`,{body:c})),t()});return r!==void 0?a`<${Uu} entry=${r} onClose=${s} />`:a`
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
        <${ps} text="Rotate" isBusy=${u} onClose=${s} />
      </form>
      <//>
  `}function vr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Ce(async()=>{await O(ye(e),{method:"DELETE"}),t(),s()});return a`
    <${V} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${T} error=${o} title="Not revoked" />
        <${ps} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function ps({text:e,isBusy:t,onClose:s,tone:n=""}){return a`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function Uu({entry:e,onClose:t}){return a`
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
  `}var Et=.9,Hu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),ju=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function Qe({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Et?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:u}=s,l=[i&&`renews ${wr(i)}`,r!==null&&t>0&&`at this rate ${k(r)}${r>e?", more than the budget":""}`,u>0&&`${$(u)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:l}}function Lt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function $s(e){return(Lt(e)??0)>=Et}function kr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.filter($s),n=t.filter(l=>(Lt(l)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:l})=>l!==null)?`No key is over ${100*Et} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Et} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,u=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${wr(i)}`:""}.`;return{title:r,text:u,used:n.length===1?n[0]:void 0}}function wr(e){let t=new Date(e);return e.includes("T00:00:00")?Hu.format(t):`${ju.format(t)} UTC`}function ms(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${k(t("cost_usd"))}`}function Nt({budget:e,spending:t}){if(!t)return a`${te(e)}`;let{tone:s,notes:n,share:o}=Qe(t),{forecast_usd:r,limit_usd:i,spent_usd:u}=t,l=[`${k(u)} of ${te(e)}`,...n].join(", "),d=r!==null&&r>i;return a`
    <span class="budget" title=${l}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${te(e)}`}
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
      <span class="limit soft">of ${te(e)}</span>
    </span>
  `}var _r=new Map([["expired","warn"],["disabled","bad"]]);function ze({id:e}){return`#/keys/${encodeURIComponent(e)}`}function hs({entry:e}){let{reason:t,status:s}=e,n=gr(e,Date.now());return a`
    <span class=${_r.has(s)?`badge ${_r.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&a`
      <span class="small soft"> the text before is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var Ku=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),Wu=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low"},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Lt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&a`<${Nt} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:k},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:Ku,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>Pe(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>a`<${hs} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ke(e):a`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>a`<code>${e}…</code>`}];function Fe({source:e,status:t}){return e==="store"&&t!=="revoked"}function xr({keys:e,marks:t,onAction:s}){return a`
    <${j} label="Keys" columns=${Wu} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${ze} actionsOf=${o=>[{text:"Open",href:ze(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...Fe(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function Or({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:u})=>i+(u?.budget?.spent_usd??0),0),o=e.some(Fe),r=(i,u,l="")=>a`
      <button type="button" class=${`small ${l}`} disabled=${!o}
        onClick=${()=>t(i)}>${u}</button>
    `;return a`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${k(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var Sr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function Tr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(Fe),[r,i]=_({usd:"",per:"month",team:""}),[u,l]=_(0),d=g=>h=>i({...r,[g]:h.target.value}),{isBusy:c,error:f,start:p}=Ce(async()=>{try{for(let[g,h]of o.slice(u).entries())await Xu(e,h,r),l(u+g+1)}finally{s()}n()}),m=t.length-o.length;return a`
    <${V} title=${`${Sr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:g})=>g).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
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
        ${e==="budget"&&a`<${Gu} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(u)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(u)} of ${$(o.length)}`:Sr[e]}</button>
        </div>
      </form>
      <//>
  `}function Gu({fields:e,set:t}){return a`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${Mt.map(([s,n])=>a`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function Xu(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await O(ye(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=At({...be(t),...r},t);if(Object.keys(i).length!==0)return await O(ye(t),{method:"PATCH",body:i})}var Vu="The key is not shown again.",Ju="What you have typed is lost.";function Cr({onCreated:e,teams:t}){let[s,n]=_(be),[o,r]=_(void 0),i=JSON.stringify(s)!==JSON.stringify(be()),{isBusy:u,error:l,start:d}=Ce(async()=>{r(await O("/v1/admin/keys",{body:$r(s)})),e()});if(o!==void 0)return a`<${Zu} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return a`
    <${et} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&a`<${Mr} text=${Ju} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Rt} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${l} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${u}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function et({text:e}){return a`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function Mr({text:e}){let[t,s]=_(void 0),n=P(()=>{});return U(()=>{n.current=Us(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:a`
    <${V} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Zu({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:u,team:l}=e,d=[["Team",l],["Owner",u],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":te(e.budget)],["Limits",Pe(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=_(!1);return U(()=>{c&&(location.hash="#/keys")},[c]),a`
    ${!c&&a`<${Mr} text=${Vu} />`}
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
        <${Yu} keyText=${s} />
        <${zu} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${ne} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This page closes only here. Back and links ask first.</p>
      </aside>
    </div>
  `}function Yu({keyText:e}){let[t,s]=_(""),n=new URLSearchParams({os:qr(),origin:location.origin}),{data:o,error:r}=D(u=>O(`/v1/clients?${n}`,{key:e,signal:u}),[e]),i=o?.data.find(u=>u.id===t)??o?.data[0];return a`
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
        ${Qu(i,e).map(({title:u,text:l})=>a`
            <div key=${u} class="stack">
              <div class="row spread"><code>${u}</code>
                <${Q} text=${l} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${u}>${l}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Qu({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:qr()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:u})=>({title:i,text:u})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function qr(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function zu({entry:e}){let[t,s]=_(!1),n=hr(e,{origin:location.origin,hasKey:t});return a`
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
  `}function Ar({id:e,version:t,onAction:s}){let{data:n,error:o}=D(c=>O(ye({id:e}),{signal:c}),[e,t]);if(!n)return a`
      <${et} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&a`<${L} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:u}=n,l=u?.days??[],d=c=>new URLSearchParams({[c]:i});return a`
    <${et} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${el(n)}</h1>
        <p class="soft"><${hs} entry=${n} />${u?.last_used?`, last used on ${u.last_used}`:u?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${Fe(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>a`
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
            <${Nt} budget=${r} spending=${u?.budget} />
            <p class="soft">${u?.budget&&Qe(u.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${ms(l).replace(/^.*?: /,"")}</p>
          <${tl} days=${l} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${ne} facts=${sl(n)} class="key-facts" />
      </aside>
    </div>
  `}function el({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=Qe(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function tl({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return a`
    <div class="day-bars" role="img" aria-label=${ms(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>a`
          <span key=${o} title=${`${$(n)} requests, ${k(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function sl(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:u,prefix:l,source:d,team:c}=e;return[["Team",c],["Owner",u],["Note",i],["Begins with",l&&a`<code>${l}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",Pe(o).join(", ")||"default"],["Budget",t===null?"none":te(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ke(s)],["Expires",n===null?"never":Ke(n)]].filter(([,f])=>f!=null)}function Er({route:e}){let{hasAdmin:t}=K();return a`
    <div class="view" data-view="keys">
      ${t?a`<${rl} path=${e.path} query=${e.query} />`:a`
        <${ee} title="Keys" />
        <${it} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var ol={edit:br,rotate:yr,revoke:vr};function rl({path:[e],query:t}){let[s,n]=_(!1),[o,r]=_(null),[i,u]=_(0),l=D(m=>rt({revoked:s,usage:!0},m),[s,i]),d=()=>u(m=>m+1),c=(m,g)=>r({type:m,entry:g}),f=X(()=>il(l.data??[],"team"),[l.data]),p=o&&ol[o.type];return a`
    ${e==="new"?a`<${Cr} onCreated=${d} teams=${f} />`:e!==void 0?a`<${Ar} id=${e} version=${i} onAction=${c} />`:a`
        <${al} ...${l} search=${t.get("search")??""} onAction=${c}
          onChanged=${d} showsRevoked=${s} onRevoked=${n} />
      `}
    ${o&&a`
      <${p} entry=${o.entry} onChanged=${d}
        onClose=${()=>r(null)} />
    `}
  `}function il(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var Rr=[["all","All",()=>!0],["near","Over 90 %",$s],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function al(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:u}=e,[l,d]=_(e.search),[c,f]=_("all"),[p,m]=_(()=>new Set),[g,h]=_(void 0),b=s?.code==="store_required",[,,y]=Rr.find(([q])=>q===c),w=dl(l),v=X(()=>(t??[]).filter(q=>y(q)&&cl(q,w)),[t,c,w]),S=e.search.startsWith("sk-")&&l===e.search&&v.length===1?ze(v[0]):void 0;U(()=>S&&location.replace(S),[S]);let E=v.filter(({id:q})=>p.has(q)),Z={ids:p,onToggle:q=>m(new Set(p.has(q)?[...p].filter(se=>se!==q):[...p,q])),onAll:q=>m(new Set(q?v.map(({id:se})=>se):[]))};return a`
    <${ul} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${q=>r(q.target.checked)} />
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
    ${!t&&!s&&a`<${L} text="Loading the keys" />`}
    ${t&&a`
      <div class="row">
        <${pe} label="Which keys" value=${c} onChange=${f}
          options=${Rr.map(([q,se,tt])=>[q,`${se} ${$(t.filter(tt).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${l}
          onInput=${q=>d(q.target.value)} />
      </div>
      ${E.length>0&&a`
        <${Or} keys=${E} onAction=${h} onClear=${()=>m(new Set)} />
      `}
      ${v.length===0?a`<div class="card empty" role="status">${ll(t,w)}</div>`:a`
          <div class=${n?"stale":""}>
            <${xr} keys=${v} marks=${Z} onAction=${i} />
          </div>
        `}
    `}
    ${g&&a`
      <${Tr} kind=${g} keys=${E} onChanged=${u}
        onClose=${()=>h(void 0)} />
    `}
  `}function ul({keys:e,children:t}){let{title:s,text:n,used:o}=e?kr(e):{title:"Keys",text:""};return a`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&a`
          <a class="wrap-anywhere" href=${ze(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function ll(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function cl({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(u=>u?.toLowerCase().includes(i))}function dl(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{Lr as keys,en as overview,Pn as requests,fr as savings,Wn as sessions,oo as status,Zo as usage};
