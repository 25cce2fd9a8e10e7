// Verifies a log of the registry with golang.org/x/mod/sumdb, which knows nothing of the registry.
//
// Usage: verify URL-of-the-log VERIFIER-KEY [OLD-SIZE OLD-ROOT]
//
// It opens the checkpoint, reads all tiles through a tile reader that checks each of them against the root, hashes every entry, and
// compares it with the tree; with an old size and root it proves that the tree has grown from that one. It prints the size and the root.
package main

import (
	"encoding/base64"
	"encoding/binary"
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

type tiles struct{ url string }

func (t tiles) Height() int { return height }

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range wanted {
		// Go's own path has the height, which C2SP leaves out.
		bytes, err := get(t.url + "/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
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

func main() {
	url, key := os.Args[1], os.Args[2]
	verifier, err := note.NewVerifier(key)
	check(err)
	signed, err := get(url + "/checkpoint")
	check(err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	tree := tlog.Tree{N: size, Hash: root(lines[2])}
	reader := tlog.TileHashReader(tree, tiles{url})
	if len(os.Args) > 4 {
		old, err := strconv.ParseInt(os.Args[3], 10, 64)
		check(err)
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
	fmt.Println(lines[1], lines[2])
}
