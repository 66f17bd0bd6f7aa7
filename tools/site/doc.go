// Command site makes a static site of the pages in docs/ and of README.md.
//
// The pages stay plain Markdown, as they are read on GitHub. This program copies them to bin/site-build and puts before each the
// front matter that Hugo wants: the title, which is the first heading; the place in the navigation, which is the order of the
// links in the README.md of the folder; and the pages before and after. Hugo then renders them with the layouts in this folder.
//
//	README.md               the landing page: its first paragraph, its first picture, its list of points, the sections, then the rest
//	docs/README.md          documentation.html
//	docs/FOLDER/README.md   the page of a section, FOLDER/index.html
//	docs/moved.md           a table of old and new addresses; each old page becomes one that forwards to the new ones
//
// No page loads anything from another host, and the site needs no server: search works on files, too.
package main
