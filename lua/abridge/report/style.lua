--- How the page looks. Blue marks text the model saw, grey text that was left out, red failures.

local M = {}

M.css = [[
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#dfe3e8;--soft:#f5f7f9;--seen:#1f6feb;
--gap:#d5dbe3;--gone:#eef0f3;--bad:#c9251f;--badbg:#fdeceb;--say:#7a5200;--mono:ui-monospace,SFMono-Regular,Menlo,
Consolas,"Liberation Mono",monospace}
@media(prefers-color-scheme:dark){:root{--bg:#0f1318;--fg:#e3e8ee;--dim:#98a3b0;--line:#2a323c;--soft:#171d24;
--seen:#5aa2ff;--gap:#39434f;--gone:#1d242c;--bad:#ff7d75;--badbg:#3a1c1d;--say:#e2b25a}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1.5rem 1.25rem 4rem;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
h1{font-size:1.35rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1rem;margin:2rem 0 .5rem}
h3{font-size:.8rem;font-weight:600;margin:1.1rem 0 .35rem}
p{margin:.35rem 0}
a{color:var(--seen);text-decoration:none}
a:hover{text-decoration:underline}
small,.dim,h3 span,caption{color:var(--dim);font-weight:400}
i{font-style:normal;color:var(--bad);background:var(--badbg);border-radius:2px}
.sums{display:grid;grid-template-columns:repeat(4,1fr);gap:1px;margin:1.25rem 0;padding:0;background:var(--line);
border:1px solid var(--line);border-radius:8px;overflow:hidden}
.sums div{background:var(--bg);padding:.7rem .9rem}
.sums dt{color:var(--dim);font-size:.8rem}
.sums dd{margin:0;font-size:.8rem;color:var(--dim)}
.sums .big{font-size:1.5rem;line-height:1.3;font-weight:600;color:var(--fg)}
.bad,.sums .bad{color:var(--bad)}
.fails{padding:0;margin:.75rem 0;list-style:none}
.fails li{margin:.3rem 0}
.fails p{margin:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.fails a,.fails .t{font-weight:600;color:var(--bad)}
.fails .also{max-height:6rem;overflow:auto;white-space:normal;font-size:.8rem;color:var(--dim)}
.fails .also a{font-weight:400}
.fails label{cursor:pointer;text-decoration:underline}
svg{display:block;width:100%}
.time{height:110px}
.gap{fill:var(--gap)}
.seen{fill:var(--seen)}
.fail{fill:var(--bad)}
.hit{fill:transparent}
.map a:hover rect{opacity:.7}
a:hover .hit{fill:var(--dim);fill-opacity:.25}
.ends{display:flex;justify-content:space-between;gap:1rem;color:var(--dim);font-size:.8rem;margin:.2rem 0 0}
.keys{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;color:var(--dim);font-size:.8rem}
.keys span::before{content:"";display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.4em;
background:var(--gap)}
.keys .seen::before{background:var(--seen)}
.keys .fail::before{background:var(--bad)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.87rem}
th,td{padding:.3rem 0 .3rem 1.2rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:500;color:var(--dim);font-size:.8rem}
th:first-child,td:first-child{text-align:left;padding-left:0;max-width:18rem;overflow:hidden;text-overflow:ellipsis}
td:first-child,.t{font-weight:600}
tr:last-child td{border:0;font-weight:600}
.pick{position:absolute;opacity:0}
.tabs{display:flex;gap:.4rem;margin:.5rem 0 .75rem}
.tabs label{padding:.15rem .75rem;border:1px solid var(--line);border-radius:99px;font-size:.85rem;cursor:pointer;
color:var(--dim)}
#all:checked~.tabs [for=all],#bad:checked~.tabs [for=bad],#cut:checked~.tabs [for=cut]{background:var(--fg);
color:var(--bg);border-color:var(--fg)}
#all:focus-visible~.tabs [for=all],#bad:focus-visible~.tabs [for=bad],#cut:focus-visible~.tabs [for=cut]{outline:2px
solid var(--seen);outline-offset:2px}
#bad:checked~section details:not(.e),#cut:checked~section details:not(.c){display:none}
.head,summary{display:grid;align-items:center;gap:0 .9rem;font-size:.87rem;padding:.35rem .5rem;
grid-template-columns:minmax(7rem,13rem) 1fr 3.8rem 7rem 14rem}
.head{padding-bottom:.3rem;border-bottom:1px solid var(--line)}
.head span,.head .q{color:var(--dim);font:inherit;font-size:.8rem}
section{content-visibility:auto;contain-intrinsic-size:auto 105rem}
.later{min-height:105rem}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;list-style:none;border-radius:4px}
summary::-webkit-details-marker{display:none}
summary:hover,details[open]>summary{background:var(--soft)}
.t,.q{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.t::before{content:attr(data-n);display:inline-block;min-width:2.7rem;margin-right:.3rem;
color:var(--dim);font-weight:400}
.q,pre,code{font-family:var(--mono);font-size:.8rem}
.q{unicode-bidi:isolate;direction:ltr}
.o{grid-column:3;color:var(--bad);font-weight:600;white-space:nowrap}
.m,.h{grid-column:4}
.s{grid-column:5;display:grid;grid-template-columns:1fr 4.6rem 4.5rem;text-align:right}
.s::before{content:attr(data-p);color:var(--dim)}
.s::after{content:attr(data-d);color:var(--dim)}
.m{height:8px;background:var(--gap);fill:var(--seen)}
.m.w{background:var(--seen)}
details>:not(summary){margin-left:.5rem;margin-right:.5rem}
details>p{margin:.5rem;font-size:.87rem;overflow-wrap:anywhere;scroll-margin-top:5rem}
details>:last-child:not(summary){margin-bottom:1.5rem}
.ask::before,.saw::before{display:block;font:600 .8rem system-ui,sans-serif;margin-bottom:.3rem;color:var(--dim)}
.ask::before{content:"Asked"}
.saw::before{content:"What the model saw"}
.saw{margin-top:.8rem}
.map{height:22px;width:calc(100% - 1rem)}
pre{margin:0;padding:.7rem .8rem;background:var(--soft);border:1px solid var(--line);border-radius:6px;
max-height:34rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.45;tab-size:8;
unicode-bidi:isolate;direction:ltr}
.full{color:var(--fg)}
del{display:block;text-decoration:none;color:var(--dim);background:var(--gone);border-left:3px solid var(--gap);
padding-left:.6rem;margin:.15rem 0}
del b,.mark{color:var(--say);font-weight:600}
del b{display:block;font-family:system-ui,sans-serif}
.exit{font-weight:600}
.e .exit{color:var(--bad)}
.say{color:var(--say)}
:target{outline:2px solid var(--seen);outline-offset:1px;border-radius:3px}
details>:target{outline:0}
pre [id]{scroll-margin-top:5rem}
footer{margin-top:2rem;color:var(--dim);font-size:.8rem;overflow-wrap:anywhere}
@media(max-width:46rem){th,td{padding-left:.6rem}
:is(th,td):nth-child(3),:is(th,td):nth-child(4),:is(th,td):nth-child(n+8){display:none}
body{padding:1rem .8rem 3rem}
.fails p{white-space:normal}
.sums{grid-template-columns:1fr 1fr}.sums .big{font-size:1.25rem}
.head{display:none}
summary{grid-template-columns:1fr 8rem;gap:.1rem .6rem;padding:.5rem .3rem}
.t::before{min-width:2.1rem}.t{grid-column:1;grid-row:1}.q,.m{margin-left:2.4rem}.m{width:calc(100% - 2.4rem)}
.q{grid-column:1/-1;grid-row:2}.o{grid-column:2;grid-row:1;justify-self:end}.m{grid-column:1;grid-row:3}
.s{grid-column:2;grid-row:3;grid-template-columns:1fr 3.8rem}.s::before{display:none}
section{contain-intrinsic-size:auto 250rem}.later{min-height:250rem}
details>:not(summary){margin-left:0;margin-right:0}.map{width:100%}pre{max-height:24rem;padding:.6rem}}
@media print{section{content-visibility:visible}pre{max-height:none}}
]]

--- The hash that lets a Content-Security-Policy allow the style; a test says when it is out of date.
M.sha256 = "aRUcKEeKuEKkKCmvEJ8ukAFcGPmwOjuPz4uwqhc94uU="

return M
