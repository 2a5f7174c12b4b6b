#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# The page of `gelu compare --report` in a browser: it renders, pictures included, and asks for nothing from elsewhere.
. "$(dirname "$0")/lib.bash"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo 'skipped: the report in a browser, there is no chromium'
    exit 77
fi
if ! command -v gnuplot >/dev/null || ! command -v python3 >/dev/null; then
    echo 'skipped: the report in a browser, there is no gnuplot or no python3'
    exit 77
fi
small_data data
"$gelu" compare --quick --data data --report report >/dev/null 2>stderr.txt || fail "exit $?: $(cat stderr.txt)"
check 'gnuplot has nothing to complain of' test ! -s stderr.txt

browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
        --user-data-dir="$scratch/profile" --host-resolver-rules='MAP * ~NOTFOUND' "$@" 2>browser.txt
}
page=file://$scratch/report/index.html
checks=$((checks + 1))
browse --dump-dom "$page" >dom.html || fail "the browser fails: $(tail -n 3 browser.txt)"
for text in '<title>GELU against ReLU, measured</title>' 'GELU is smooth: its slope has no jump' 'does not hold</span>' \
    'excess kurtosis, worst layer, trained' '<h2>Machine</h2>' 'gelu compare --quick --data data --report report'; do
    check "the page shows $text" grep -qF -- "$text" dom.html
done
check 'five pictures' test "$(grep -o '<img' dom.html | wc -l)" = 5

# A copy that says how wide each picture came out: 0 where the browser could not draw it.
{
    sed '/<\/body>/,$d' report/index.html
    cat <<'EOF'
<pre id="seen"></pre>
<script>
onload = () => seen.textContent =
    "widths " + [...document.images].map(image => image.complete ? image.naturalWidth : 0).join(" ") +
    "; fetched " + performance.getEntriesByType("resource").filter(entry => !entry.name.startsWith("data:")).length
</script>
</body>
</html>
EOF
} >report/probe.html
seen=$(browse --virtual-time-budget=5000 --dump-dom "file://$scratch/report/probe.html" | sed -n 's|.*<pre id="seen">\(.*\)</pre>.*|\1|p')
check "each picture is drawn, and nothing fetched, but: '$seen'" grep -Eqx 'widths( [1-9][0-9]*){5}; fetched 0' <<<"$seen"

# How the page looks from its top to below the last picture: not blank anywhere.
checks=$((checks + 1))
browse --window-size=1200,6400 --screenshot="$scratch/page.png" "$page" || fail "no screenshot: $(tail -n 3 browser.txt)"
check 'the screenshot shows text and pictures' python3 "$here/report_picture.py" page.png
finish
