// Package picture makes pictures of what programs print on a terminal, for the documentation: SVG, with the text as text.
//
// Nothing in a picture is drawn by hand. A test runs the program on a terminal (Terminal), and compares what it prints with
// the text of the picture (Text), or writes the picture anew (Render).
package picture
