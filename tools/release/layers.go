package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"strings"
)

// program was built from Go, or is the shell of the images.
type program struct {
	artifact string // file of the folder that contains it
	name     string
	platform string
	sha256   string
	info     *buildinfo.BuildInfo // nil for the shell
	shell    shell
}

// shell has the version and the source of busybox, from the labels of an image.
type shell struct{ version, source string }

// programsInImage lists the programs in the archive of one image.
func programsInImage(archive string) ([]program, error) {
	blobs, err := readBlobs(archive)
	if err != nil {
		return nil, err
	}
	var index []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(blobs["manifest.json"], &index); err != nil {
		return nil, err
	}
	if len(index) != 1 {
		return nil, errors.New("manifest.json does not name one image")
	}
	var config struct {
		Config struct{ Labels map[string]string }
	}
	if err := json.Unmarshal(blobs[index[0].Config], &config); err != nil {
		return nil, err
	}
	var found []program
	for _, layer := range index[0].Layers {
		programs, err := programsInLayer(blobs[layer])
		if err != nil {
			return nil, err
		}
		found = append(found, programs...)
	}
	for i, p := range found {
		if p.info == nil {
			found[i].shell = shell{config.Config.Labels["busybox.version"], config.Config.Labels["busybox.source"]}
		}
	}
	return found, nil
}

func readBlobs(archive string) (map[string][]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	blobs := map[string][]byte{}
	return blobs, eachFile(f, func(name string, body []byte) error {
		blobs[name] = body
		return nil
	})
}

// programsInLayer finds the executables: Go programs, and busybox.
func programsInLayer(layer []byte) ([]program, error) {
	var from io.Reader = bytes.NewReader(layer)
	if bytes.HasPrefix(layer, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, err
		}
		from = z
	}
	var found []program
	return found, eachFile(from, func(name string, body []byte) error {
		if !bytes.HasPrefix(body, []byte("\x7fELF")) {
			return nil
		}
		p := program{name: path.Base(name), sha256: sha256Of(body)}
		if p.name != "busybox" {
			info, err := buildinfo.Read(bytes.NewReader(body))
			if err != nil {
				return err
			}
			p.info = info
		}
		found = append(found, p)
		return nil
	})
}

func eachFile(from io.Reader, do func(name string, body []byte) error) error {
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := do(strings.TrimPrefix(h.Name, "./"), body); err != nil {
			return err
		}
	}
}
