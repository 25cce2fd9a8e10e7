// Verifies a log of the registry with golang.org/x/mod/sumdb, which knows nothing of the registry.
//
// Usage: verify URL-of-the-log VERIFIER-KEY [OLD-SIZE OLD-ROOT], or: verify proof FILE VERIFIER-KEY
//
// The URL is https:// and the origin of the log, which the key is named after.
//
// For a log it opens the checkpoint, reads all tiles through a tile reader that checks each of them against the root, hashes every entry, and
// compares it with the tree; with an old size and root it proves that the tree has grown from that one. It prints the size and the root.
// For a proof (C2SP tlog-proof) it needs the file alone, with lines up to 64 KiB: it prints the place and the entry.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type tiles struct {
	url string
	// Verified tiles.
	known map[tlog.Tile][]byte
}

func (t tiles) Height() int { return height }

func (t tiles) SaveTiles(found []tlog.Tile, data [][]byte) {
	for i, tile := range found {
		t.known[tile] = data[i]
	}
}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range wanted {
		bytes, isKnown := t.known[tile]
		if !isKnown {
			var err error
			// Go's own path has the height, which C2SP leaves out.
			bytes, err = get(t.url + "/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
			if err != nil {
				return nil, err
			}
		}
		data = append(data, bytes)
	}
	return data, nil
}

func get(url string) ([]byte, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return io.ReadAll(response.Body)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func root(text string) tlog.Hash {
	var hash tlog.Hash
	bytes, err := base64.StdEncoding.DecodeString(text)
	check(err)
	copy(hash[:], bytes)
	return hash
}

// The tree of a checkpoint, after its signature is verified.
func opened(signed []byte, key string) tlog.Tree {
	verifier, err := note.NewVerifier(key)
	check(err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	return tlog.Tree{N: size, Hash: root(lines[2])}
}

func proof(file, key string) {
	content, err := os.ReadFile(file)
	check(err)
	head, signed, _ := strings.Cut(string(content), "\n\n")
	var lines []string
	scanner := bufio.NewScanner(strings.NewReader(head))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	check(scanner.Err())
	if len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		check(fmt.Errorf("this is no proof"))
	}
	extra, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	check(err)
	var content struct{ Entry string }
	check(json.Unmarshal(extra, &content))
	place, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	check(err)
	var path tlog.RecordProof
	for _, line := range lines[3:] {
		path = append(path, root(line))
	}
	tree := opened([]byte(signed), key)
	check(tlog.CheckRecord(path, tree.N, tree.Hash, place, tlog.RecordHash([]byte(content.Entry))))
	fmt.Println(place, content.Entry)
}

func main() {
	words := len(os.Args) - 1
	isProof := words > 0 && os.Args[1] == "proof"
	if isProof && words != 3 || !isProof && words != 2 && words != 4 {
		check(fmt.Errorf("verify.go LOG KEY [SIZE ROOT], or verify.go proof FILE KEY"))
	}
	if isProof {
		proof(os.Args[2], os.Args[3])
		return
	}
	url := os.Args[1]
	signed, err := get(url + "/checkpoint")
	check(err)
	tree := opened(signed, os.Args[2])
	size := tree.N
	reader := tlog.TileHashReader(tree, tiles{url, map[tlog.Tile][]byte{}})
	if words == 4 {
		old, err := strconv.ParseInt(os.Args[3], 10, 64)
		check(err)
		if old > size {
			check(fmt.Errorf("the log was cut: it has %d entries, and had %d", size, old))
		}
		proof, err := tlog.ProveTree(size, old, reader)
		check(err)
		check(tlog.CheckTree(proof, size, tree.Hash, old, root(os.Args[4])))
	}
	for from := int64(0); from < size; from += 256 {
		width := size - from
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: height, L: 0, N: from / 256, W: int(width)}
		path := strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)
		bundle, err := get(url + "/" + path)
		check(err)
		for at := from; at < from+width; at++ {
			length := binary.BigEndian.Uint16(bundle)
			hash := tlog.RecordHash(bundle[2 : 2+length])
			proof, err := tlog.ProveRecord(size, at, reader)
			check(err)
			if tlog.CheckRecord(proof, size, tree.Hash, at, hash) != nil {
				check(fmt.Errorf("entry %d is not in the tree", at))
			}
			bundle = bundle[2+length:]
		}
		if len(bundle) > 0 {
			check(fmt.Errorf("the bundle of entry %d has more than its tile", from))
		}
	}
	fmt.Println(size, base64.StdEncoding.EncodeToString(tree.Hash[:]))
}
