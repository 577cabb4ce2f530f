#!/bin/sh
# bench/run/pi.sh FOLDER NPM VERSION
# Fetches a rival, the npm package of pi, into FOLDER: the package alone, since its truncate module needs no other, and no
# script of it is run. Prints the path of the module, or, after "-", why it cannot be had.
folder=$1 npm=$2 version=$3
package=@mariozechner/pi-coding-agent@$version
module=$folder/$version/package/dist/core/tools/truncate.js

for tool in node "$npm"; do
  command -v "$tool" >/dev/null || { echo "- no $tool here: install nodejs and npm (apt-get install nodejs npm)"; exit; }
done
if ! [ -f "$module" ]; then
  mkdir -p "$folder/$version"
  archive=$(cd "$folder/$version" && "$npm" pack --silent --fetch-retries=0 "$package" 2>/dev/null) &&
    tar -xzf "$folder/$version/$archive" -C "$folder/$version" 2>/dev/null
fi
if [ -f "$module" ]; then echo "$module"; else echo "- npm could not fetch $package"; fi
