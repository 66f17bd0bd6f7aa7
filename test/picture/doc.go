// Package picture turns the terminal output of programs into pictures for the documentation: SVG, with the text as text.
//
// Nothing in a picture is drawn by hand. A test runs the program on a terminal (Terminal), and compares its output with the text of the
// picture (Text), or rewrites the picture (Render).
package picture
